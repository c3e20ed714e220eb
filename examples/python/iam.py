"""Fixture: one server for a test run, and a sandbox with its own seed for each test. Standard library of Python 3.9."""
import json
import os
import shlex
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import uuid

# Requests to this machine do not use a proxy.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Response:
    def __init__(self, status, headers, text):
        self.status, self.headers = status, headers
        self.body = json.loads(text) if text else None
        self.request_id = headers["X-Request-Id"]


def send(method, url, body=None, headers={}):
    """Sends JSON and returns the response, whatever its status is."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with opener.open(request, timeout=70) as response:
            return Response(response.status, response.headers, response.read())
    except urllib.error.HTTPError as error:
        with error:
            return Response(error.code, error.headers, error.read())


class Server:
    """The server of IAM_BASE_URL, or one that it starts: the command `iam`, or that of IAM_COMMAND."""

    def __init__(self):
        self.url, self.process = os.environ.get("IAM_BASE_URL"), None
        if self.url is None:
            command = shlex.split(os.environ.get("IAM_COMMAND", "iam"))
            options = ["serve", "--json", "--port", "0", "--store", "memory", "--fast-passwords"]
            self.process = subprocess.Popen(command + options, stdout=subprocess.PIPE)
            # The server prints one line when it accepts requests, and nothing if it cannot start.
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("The server did not start; standard error has the reason.")
            self.url = json.loads(line)["url"]

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            self.process.communicate()

    def sandbox(self, seed):
        return Sandbox(self.url, seed)


class Sandbox:
    """A service of its own: users, keys, messages, faults and clock. `with` deletes it at the end."""

    def __init__(self, server_url, seed):
        name = f"python-{uuid.uuid4()}"
        self.url, self.location = f"{server_url}/s/{name}", f"{server_url}/_iam/sandboxes/{name}"
        self.base_url = f"{self.url}/security/iam/v1"  # for the program under test
        created = send("POST", f"{server_url}/_iam/sandboxes", {"name": name, "seed": seed})
        if created.status != 200:
            raise RuntimeError(f"The sandbox was not created: {created.body}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        send("DELETE", self.location)

    def call(self, method, path, body=None, token=None, headers={}):
        """A request to the interface, as the program under test sends it."""
        authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        return send(method, self.base_url + path, body, {**authorization, **headers})

    def control(self, method, path, body=None):
        """A request to the control plane that must succeed."""
        response = send(method, f"{self.url}/_iam{path}", body)
        if response.status >= 400:
            raise RuntimeError(f"{method} {path}: {response.status} {response.body}")
        return response.body

    def sign_in(self, user_name, level="AUTH-MFA"):
        """An access token, without a password."""
        user = {"userName": user_name, "clientId": "web", "level": level}
        return self.control("POST", "/sessions", user)["accessToken"]

    def last_message(self, to):
        """Id of the newest message. Pass it to wait_for_code, so that an older code is not taken for the next one."""
        messages = self.control("GET", f"/inbox?limit=1&to={urllib.parse.quote(to)}")
        return messages[0]["id"] if messages else "0"

    def wait_for_code(self, to, after):
        query = urllib.parse.urlencode({"to": to, "after": after, "timeout": "10s"})
        return self.control("GET", f"/inbox/wait?{query}")["code"]
