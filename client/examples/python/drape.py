#!/usr/bin/env python3
"""Drapes a garment on a body through tryon's API, written from the proto files alone.

    apt-get install python3-grpcio python3-protobuf protobuf-compiler protobuf-compiler-grpc
    drape.py --server 127.0.0.1:8001 --body anna.obj --template t_shirt --size M --out out/anna
"""
import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import uuid

import grpc

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"
CHUNK = 64 * 1024


def generate():
    """Makes the message and stub classes of every proto file, as protoc would in a build."""
    folder = tempfile.mkdtemp(prefix="tryon-proto-")
    plugin = subprocess.check_output(["which", "grpc_python_plugin"], text=True).strip()
    files = [str(path.relative_to(PROTO)) for path in sorted(PROTO.rglob("*.proto"))]
    subprocess.check_call(["protoc", f"--proto_path={PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}",
                           f"--plugin=protoc-gen-grpc_python={plugin}", *files])
    sys.path.insert(0, folder)
    # google.protobuf is a package elsewhere; let ours be found beside it.
    import google
    google.__path__.append(folder + "/google")


def upload(channel, path):
    """Sends a file unless the server has it; returns its digest."""
    from google.bytestream import bytestream_pb2, bytestream_pb2_grpc
    from tryon.v1 import blob_pb2, blob_pb2_grpc
    data = pathlib.Path(path).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    asked = blob_pb2.FindMissingBlobsRequest(sha256=[digest])
    if not blob_pb2_grpc.BlobServiceStub(channel).FindMissingBlobs(asked).missing_sha256:
        return digest
    name = f"uploads/{uuid.uuid4()}/blobs/{digest}/{len(data)}"

    def chunks():
        for begin in range(0, len(data), CHUNK):
            part = data[begin:begin + CHUNK]
            yield bytestream_pb2.WriteRequest(resource_name=name, write_offset=begin, data=part,
                                              finish_write=begin + len(part) == len(data))

    answer = bytestream_pb2_grpc.ByteStreamStub(channel).Write(chunks())
    assert answer.committed_size == len(data)
    return digest


def download(channel, artifact, folder):
    from google.bytestream import bytestream_pb2, bytestream_pb2_grpc
    request = bytestream_pb2.ReadRequest(resource_name=f"blobs/{artifact.sha256}/{artifact.size_bytes}")
    data = b"".join(part.data for part in bytestream_pb2_grpc.ByteStreamStub(channel).Read(request))
    assert hashlib.sha256(data).hexdigest() == artifact.sha256
    (folder / artifact.file_name).write_bytes(data)


def finished(channel, operation, response):
    """Follows an operation to its end and unpacks what it made."""
    from tryon.v1 import drape_pb2, drape_pb2_grpc, operation_pb2
    request = drape_pb2.WatchOperationRequest(name=operation.name)
    for operation in drape_pb2_grpc.DrapeServiceStub(channel).WatchOperation(request):
        metadata = operation_pb2.OperationMetadata()
        operation.metadata.Unpack(metadata)
        print(f"{metadata.target[:14]}... {metadata.stage} {metadata.stage_fraction:.0%}")
    if operation.HasField("error"):
        raise SystemExit(explain(operation.error))
    operation.response.Unpack(response)
    return response


def explain(status):
    """What went wrong, where, and what to do: from google.rpc.Status."""
    from google.rpc import error_details_pb2
    lines = [status.message]
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            lines += [f"  reason: {info.reason}"] + [f"  {key}: {value}" for key, value in info.metadata.items()]
    return "\n".join(lines)


def explain_call(error):
    from google.rpc import status_pb2
    for key, value in error.trailing_metadata() or []:
        if key == "grpc-status-details-bin":
            return explain(status_pb2.Status.FromString(value))
    return f"{error.code()}: {error.details()}"


def run(channel, options):
    from tryon.v1 import body_pb2, body_pb2_grpc, drape_pb2, drape_pb2_grpc, garment_pb2, garment_pb2_grpc
    if options.body:
        source = body_pb2.BodySource(mesh_sha256=upload(channel, options.body),
                                     file_name=pathlib.Path(options.body).name)
    else:
        source = body_pb2.BodySource(sample=True)
    request = body_pb2.CreateBodyRequest(source=source)
    body = finished(channel, body_pb2_grpc.BodyServiceStub(channel).CreateBody(request), body_pb2.Body())

    template = garment_pb2.TemplateSource(template=options.template, size=options.size)
    request = garment_pb2.CreateGarmentRequest(source=garment_pb2.GarmentSource(template=template))
    garments = garment_pb2_grpc.GarmentServiceStub(channel)
    garment = finished(channel, garments.CreateGarment(request), garment_pb2.Garment())

    request = drape_pb2.CreateDrapeRequest(body=body.name, garment=garment.name, resolution_mm=options.resolution)
    drapes = drape_pb2_grpc.DrapeServiceStub(channel)
    drape = finished(channel, drapes.CreateDrape(request), drape_pb2.Drape())

    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    for artifact in drape.artifacts:
        download(channel, artifact, folder)
    print(f"{drape.name}: grade {drape.metrics.grade}, {drape.metrics.vertex_count} vertices, "
          f"{len(drape.artifacts)} files in {folder}")


def main():
    parser = argparse.ArgumentParser(description="Drapes a garment on a body through tryon's API.")
    parser.add_argument("--server", default="127.0.0.1:8001")
    parser.add_argument("--body", help="a scan; without it the sample body")
    parser.add_argument("--template", default="t_shirt")
    parser.add_argument("--size", default="M")
    parser.add_argument("--resolution", type=float, default=15.0, help="millimetres")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    generate()
    with grpc.insecure_channel(options.server) as channel:
        try:
            run(channel, options)
        except grpc.RpcError as error:
            raise SystemExit(explain_call(error))


if __name__ == "__main__":
    main()
