"""Unmodified Authlib and PyJWT against a server: its URL is in IAM_BASE_URL, and its seed is that of python.test.ts."""
import html
import json
import os
import re
import unittest
from urllib.parse import urljoin
from urllib.request import urlopen

import jwt
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

CLIENT = os.environ["CLIENT_ID"]
SECRET = os.environ["CLIENT_SECRET"]
USER, PASSWORD = os.environ["USER_NAME"], os.environ["USER_PASSWORD"]
METHODS = ("client_secret_basic", "client_secret_post")


def metadata(base):
    with urlopen(base + "/.well-known/oauth-authorization-server") as response:
        return json.load(response)


class OAuthClients(unittest.TestCase):
    def setUp(self):
        self.server = metadata(os.environ["IAM_BASE_URL"])

    def session(self, method, secret=SECRET, **options):
        session = OAuth2Session(
            CLIENT, secret, token_endpoint_auth_method=method, revocation_endpoint_auth_method=method, **options
        )
        self.addCleanup(session.close)
        return session

    def introspect(self, session, token):
        response = session.introspect_token(self.server["introspection_endpoint"], token=token)
        self.assertEqual(response.status_code, 200)
        return response.json()

    def verify(self, token, **changes):
        key = jwt.PyJWKClient(self.server["jwks_uri"]).get_signing_key_from_jwt(token)
        expected = {"issuer": self.server["issuer"], "audience": self.server["issuer"], **changes}
        return jwt.decode(token, key.key, algorithms=["ES256"], **expected)

    def test_authlib_obtains_introspects_and_revokes_a_client_token(self):
        for method in METHODS:
            with self.subTest(method):
                session = self.session(method, scope="READ")
                token = session.fetch_token(self.server["token_endpoint"], grant_type="client_credentials")
                self.assertEqual((token["token_type"], token["scope"]), ("Bearer", "READ"))
                value = token["access_token"]
                self.assertEqual(self.introspect(session, value)["client_id"], CLIENT)
                for _ in range(2):
                    answer = session.revoke_token(
                        self.server["revocation_endpoint"], token=value, token_type_hint="access_token"
                    )
                    self.assertEqual(answer.status_code, 200)
                self.assertEqual(self.introspect(session, value), {"active": False})

    def test_authlib_logs_a_user_in_renews_and_revokes_the_session(self):
        for method in METHODS:
            with self.subTest(method):
                session = self.session(method)
                first = session.fetch_token(self.server["token_endpoint"], username=USER, password=PASSWORD)
                first_refresh = first["refresh_token"]
                second = session.refresh_token(self.server["token_endpoint"])
                self.assertNotEqual(second["refresh_token"], first_refresh)
                self.assertEqual(self.verify(second["access_token"])["sub"], USER)
                session.revoke_token(
                    self.server["revocation_endpoint"], token=second["refresh_token"], token_type_hint="refresh_token"
                )
                self.assertEqual(self.introspect(session, second["access_token"]), {"active": False})

    def test_authlib_reports_errors(self):
        for method in METHODS:
            with self.subTest(method):
                with self.assertRaises(OAuthError) as wrong_secret:
                    self.session(method, "wrong").fetch_token(
                        self.server["token_endpoint"], grant_type="client_credentials"
                    )
                self.assertEqual(wrong_secret.exception.error, "invalid_client")
                with self.assertRaises(OAuthError) as wrong_password:
                    self.session(method).fetch_token(self.server["token_endpoint"], username=USER, password="wrong")
                self.assertEqual(wrong_password.exception.error, "invalid_grant")

    def test_pyjwt_verifies_issuer_and_audience(self):
        session = self.session("client_secret_basic")
        token = session.fetch_token(self.server["token_endpoint"], grant_type="client_credentials")["access_token"]
        self.assertEqual(self.verify(token)["sub"], CLIENT)
        with self.assertRaises(jwt.InvalidAudienceError):
            self.verify(token, audience="https://other.example")
        with self.assertRaises(jwt.InvalidIssuerError):
            self.verify(token, issuer="https://other.example")
        with self.assertRaises(jwt.InvalidSignatureError):
            self.verify(token[:-8] + "AAAAAAAA")

    def test_a_sandbox_has_its_own_issuer_and_keys_of_its_tokens(self):
        other = metadata(os.environ["IAM_BASE_URL"] + "/s/python")
        session = self.session("client_secret_basic")
        token = session.fetch_token(other["token_endpoint"], grant_type="client_credentials")["access_token"]
        self.assertEqual(other["issuer"], os.environ["IAM_BASE_URL"] + "/s/python")
        key = jwt.PyJWKClient(other["jwks_uri"]).get_signing_key_from_jwt(token)
        jwt.decode(token, key.key, algorithms=["ES256"], issuer=other["issuer"], audience=other["issuer"])
        with self.assertRaises(jwt.InvalidTokenError):
            jwt.decode(token, key.key, algorithms=["ES256"], issuer=self.server["issuer"], audience=other["issuer"])

    def browse(self, url):
        """Logs in on the page of the server, without scripts, as far as the redirect to the application."""
        browser = requests.Session()
        self.addCleanup(browser.close)
        page = browser.get(url).text
        form = next(text for text in re.findall(r"<form.*?</form>", page, re.S) if 'name="password"' in text)
        hidden = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form))
        action = html.unescape(re.search(r'action="([^"]*)"', form).group(1))
        fields = {**hidden, "user_name": USER, "password": PASSWORD}
        return browser, browser.post(urljoin(url, action), fields, allow_redirects=False).headers["location"]

    def test_authlib_logs_a_user_in_with_a_browser(self):
        with urlopen(os.environ["IAM_BASE_URL"] + "/.well-known/openid-configuration") as response:
            server = json.load(response)
        session = self.session(
            "client_secret_basic",
            scope="openid email",
            redirect_uri="https://app.example/callback",
            code_challenge_method="S256",
        )
        verifier = generate_token(48)
        url, state = session.create_authorization_url(
            server["authorization_endpoint"], code_verifier=verifier, nonce="n-1"
        )
        browser, location = self.browse(url)
        token = session.fetch_token(
            server["token_endpoint"], authorization_response=location, state=state, code_verifier=verifier
        )
        key = jwt.PyJWKClient(server["jwks_uri"]).get_signing_key_from_jwt(token["id_token"])
        claims = jwt.decode(token["id_token"], key.key, algorithms=["RS256"], issuer=server["issuer"], audience=CLIENT)
        self.assertEqual((claims["sub"], claims["email"], claims["nonce"]), (USER, "ada@example.com", "n-1"))
        self.assertEqual(session.get(server["userinfo_endpoint"]).json()["email"], "ada@example.com")
        session.refresh_token(server["token_endpoint"])
        logout = {"id_token_hint": token["id_token"], "post_logout_redirect_uri": "https://app.example/bye"}
        answer = browser.get(server["end_session_endpoint"], params=logout, allow_redirects=False)
        self.assertEqual(answer.headers["location"], "https://app.example/bye")
        self.assertEqual(session.get(server["userinfo_endpoint"]).status_code, 401)


if __name__ == "__main__":
    unittest.main()
