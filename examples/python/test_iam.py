"""Run with `python3 -m unittest` or `pytest` in this folder."""
import unittest
from concurrent.futures import ThreadPoolExecutor

from iam import Server

SEED = {
    "clients": [{"clientId": "web", "appId": "web", "party": "1STPARTY"}],
    "users": [
        {"userId": "ann", "userName": "ann", "userEmail": "ann@example.com"},
        {"userId": "bob", "userName": "bob", "userEmail": "bob@example.com"},
    ],
    "groups": [{"groupName": "auditors", "roles": ["ADMIN"], "users": ["ann"]}],
}


def setUpModule():
    global server
    server = Server()


def tearDownModule():
    server.stop()


class IamTest(unittest.TestCase):
    def sandbox(self, seed=SEED):
        sandbox = server.sandbox(seed)
        self.addCleanup(sandbox.__exit__)
        return sandbox

    def test_a_role_decides(self):
        iam = self.sandbox()
        self.assertEqual(iam.call("GET", "/groups/auditors", token=iam.sign_in("ann")).status, 200)
        refused = iam.call("GET", "/groups/auditors", token=iam.sign_in("bob"))
        self.assertEqual((refused.status, refused.body[0]["code"]), (403, "ROLE_MISSING"))
        why = iam.control("GET", f"/requests/{refused.request_id}/why")
        self.assertEqual((why["user"]["userName"], why["missing"]), ("bob", ["IAM_ADMIN_READ_ONLY"]))

    def test_a_token_expires(self):
        iam = self.sandbox()
        token = iam.sign_in("ann")
        iam.control("PUT", "/clock", {"to": "expiry", "of": token, "offset": "-1s", "freeze": True})
        self.assertEqual(iam.call("GET", "/groups", token=token).status, 200)
        iam.control("PUT", "/clock", {"advance": "1s"})
        self.assertEqual(iam.call("GET", "/groups", token=token).status, 401)

    def test_the_service_is_unavailable(self):
        iam = self.sandbox()
        token = iam.sign_in("ann")
        iam.control("POST", "/faults", {"operation": "groups.get", "times": 1, "effect": {"status": 503}})
        answers = [iam.call("GET", "/groups/auditors", token=token).status for _ in range(2)]
        self.assertEqual(answers, [503, 200])
        preferred = iam.call("GET", "/groups/auditors", token=token, headers={"Prefer": "code=503"})
        self.assertEqual(preferred.status, 503)

    def test_a_code_resets_the_password(self):
        iam = self.sandbox()
        last = iam.last_message("ann@example.com")
        iam.call("POST", "/user-identities/retrieve-identity?clientId=web", {"userName": "ann"})
        code = iam.wait_for_code("ann@example.com", after=last)
        change = {"username": "ann", "validationCode": code, "newPassword": "seven green umbrellas"}
        path = "/user-identities/reset-password?clientId=web"
        self.assertEqual(iam.call("POST", path, change).status, 201)
        self.assertEqual(iam.call("POST", path, change).body[0]["code"], "CODE_INVALID")  # valid once

    def test_a_reset_restores_the_seed(self):
        iam = self.sandbox()
        iam.control("POST", "/seed", {"users": [{"userId": "carl", "userName": "carl"}]})
        iam.control("PUT", "/clock", {"advance": "7d"})
        iam.sign_in("carl")
        iam.control("POST", "/state/reset", {"to": "seed"})
        self.assertEqual([user["userId"] for user in iam.control("GET", "/users?name=carl")], [])
        self.assertAlmostEqual(iam.control("GET", "/clock")["offset"], 0, delta=60)

    def test_twenty_sandboxes_in_parallel(self):
        def run(number):
            name, hours = f"user-{number}", number % 2 * 2
            user = {"userId": name, "userName": name, "userEmail": f"{name}@example.com"}
            group = {"groupName": "auditors", "roles": ["ADMIN"], "users": [name]}
            with server.sandbox({**SEED, "users": [user], "groups": [group]}) as iam:
                token = iam.sign_in(name)
                if number % 4 < 2:
                    iam.control("POST", "/faults", {"times": 1, "effect": {"status": 503}})
                first = iam.call("GET", "/groups/auditors", token=token).status
                iam.control("PUT", "/clock", {"advance": f"{hours}h"})
                second = iam.call("GET", "/groups/auditors", token=token).status
                users = [user["userId"] for user in iam.control("GET", "/users")]
                mine = [user for user in users if user.startswith("user-")] == [name]
                return first, second, mine, len(iam.control("GET", "/requests"))

        with ThreadPoolExecutor(20) as pool:
            results = list(pool.map(run, range(20)))
        expected = [(503 if n % 4 < 2 else 200, 401 if n % 2 else 200, True, 2) for n in range(20)]
        self.assertEqual(results, expected)


if __name__ == "__main__":
    unittest.main()
