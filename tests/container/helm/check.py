"""The rendered chart meets Kubernetes' restricted pod standard and says what a pod of ours needs. Reads YAML from stdin."""
import sys
import yaml

documents = [d for d in yaml.safe_load_all(sys.stdin) if d]
kinds = {d["kind"]: d for d in documents}
assert {"StatefulSet", "Service", "NetworkPolicy"} <= set(kinds), sorted(kinds)
pod = kinds["StatefulSet"]["spec"]["template"]["spec"]
(container,) = pod["containers"]

# https://kubernetes.io/docs/concepts/security/pod-security-standards: restricted
assert pod["securityContext"]["runAsNonRoot"] is True and pod["securityContext"]["runAsUser"] != 0
assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
assert container["securityContext"]["allowPrivilegeEscalation"] is False
assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
assert not any(pod.get(key) for key in ("hostNetwork", "hostPID", "hostIPC"))
assert all(set(v) - {"name"} <= {"emptyDir", "secret", "configMap", "persistentVolumeClaim"} for v in pod["volumes"])

assert container["securityContext"]["readOnlyRootFilesystem"] is True
assert pod["automountServiceAccountToken"] is False
assert container["resources"]["requests"]["memory"] == container["resources"]["limits"]["memory"]
for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
    assert probe in container
variables = {v["name"]: v["value"] for v in container["env"]}
assert all(isinstance(value, str) for value in variables.values()), variables
grace = pod["terminationGracePeriodSeconds"]
assert grace >= int(variables["TRYON_DRAIN_DELAY"]) + int(variables["TRYON_DRAIN_TIMEOUT"])
mounted = {m["name"] for m in container["volumeMounts"]}
claimed = {c["metadata"]["name"] for c in kinds["StatefulSet"]["spec"]["volumeClaimTemplates"]}
assert mounted == claimed | {v["name"] for v in pod["volumes"]}
labels = kinds["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
assert kinds["Service"]["spec"]["selector"].items() <= labels.items()
ports = {p["name"] for p in container["ports"]}
assert {p["targetPort"] for p in kinds["Service"]["spec"]["ports"]} <= ports
print(" ".join(sorted(variables)))
