"""Drapes a T-shirt on the sample body with nothing but HTTP and JSON, and tries what must be refused.

http_client.py URL FILE: the digest of the draped garment.glb goes into FILE.
"""
import json
import sys
import urllib.error
import urllib.request

URL, OUT = sys.argv[1].strip(), sys.argv[2]


def call(verb, path, body=None):
    """Returns the status and all JSON objects of the answer, one a line."""
    data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
    request = urllib.request.Request(URL + path, data, method=verb)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, [json.loads(line) for line in answer]
    except urllib.error.HTTPError as error:
        return error.code, [json.loads(line) for line in error]


def good(verb, path, body=None):
    status, answers = call(verb, path, body)
    assert status == 200 and answers, (verb, path, status, answers)
    return answers


def finished(operation):
    """Watches to the end, line by line, and asks again: both say the same."""
    seen = good("GET", f"/v1/{operation['name']}:watch")
    assert len(seen) >= 1 and seen[-1].get("done"), seen[-1]
    assert "response" in seen[-1], seen[-1]
    asked = good("GET", f"/v1/{operation['name']}")[0]
    assert asked["response"]["name"] == seen[-1]["response"]["name"]
    return seen[-1]["response"]["name"]


def refused(verb, path, body, status, reason=None):
    code, answers = call(verb, path, body)
    assert code == status, (verb, path, code, answers)
    details = {d["@type"].rsplit(".", 1)[-1]: d for d in answers[0].get("details", [])}
    if reason:
        assert details["ErrorInfo"]["reason"] == reason and details["ErrorInfo"]["metadata"]["remedy"], answers
    return answers[0]


def main():
    assert int(good("GET", "/v1/server")[0]["maxBlobBytes"]) > 0
    body = finished(good("POST", "/v1/bodies", {"source": {"sample": True}})[0])
    garment = finished(good("POST", "/v1/garments", {"source": {"template": {"template": "t_shirt", "size": "M"}}})[0])
    listed = good("GET", "/v1/bodies?page_size=1")[0]
    assert [b["name"] for b in listed["bodies"]] == [body], listed
    request = {"body": body, "garment": garment, "resolutionMm": 30}
    drape = good("GET", "/v1/" + finished(good("POST", "/v1/drapes", request)[0]))[0]
    assert drape["fit"]["girths"] and drape["metrics"], sorted(drape)
    with open(OUT, "w", encoding="ascii") as file:
        print(next(a["sha256"] for a in drape["artifacts"] if a["fileName"] == "garment.glb"), file=file)

    refused("GET", "/v1/bodies/anna", None, 400, "RESOURCE_NAME")
    refused("GET", "/v1/drapes/" + "0" * 64, None, 404, "DRAPE_NOT_FOUND")
    refused("POST", "/v1/garments", {"source": {"template": {"template": "kilt"}}}, 400, "TEMPLATE_UNKNOWN")
    refused("POST", "/v1/blobs:findMissing", {"sha256": ["aa"]}, 400, "BLOB_DIGEST_INVALID")
    refused("GET", "/v1/nothing", None, 404)
    refused("GET", "/v1/bodies?pages=1", None, 400)
    assert "sampel" in refused("POST", "/v1/bodies", {"source": {"sampel": True}}, 400)["message"]
    refused("POST", "/v1/bodies", b"{", 400)
    refused("POST", "/v1/bodies", b" " * (5 << 20), 400)
    good("DELETE", "/v1/" + garment)
    refused("GET", "/v1/" + garment, None, 404)


main()
