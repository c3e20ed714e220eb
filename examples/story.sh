#!/usr/bin/env bash
# Sign-up, MFA, an injected fault and an expired session, with curl only, as from any language.
# It needs a server of `npm start` or `iam serve`: IAM_BASE_URL, and IAM_APP_CLIENT_ID, the application client that the
# server prints at its start. It runs in a separate sandbox with its own users, messages, faults and clock.
set -euo pipefail
server=${IAM_BASE_URL:-http://127.0.0.1:8080}
sandbox=story-$$
url=$server/s/$sandbox
api=$url/security/iam/v1/user-identities
app=clientId=${IAM_APP_CLIENT_ID:?is the application client of the server}
email=carol@example.com
password='seven green umbrellas'

# post PATH JSON [curl options] sends JSON; field NAME reads one field of the response.
post() { curl -sS --fail-with-body -H 'Content-Type: application/json' --data "$2" "${@:3}" "$1"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
code_for() { curl -sS --fail-with-body "$url/_iam/inbox/wait?to=$email&purpose=$1&timeout=10s" | field code; }
status_as() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$api/$user"; }
trap 'curl -sS -X DELETE "$server/_iam/sandboxes/$sandbox"' EXIT

# Sign up: the code is sent to the address; read it from the inbox.
post "$api/identification?$app" "{\"userEmail\":\"$email\"}" > /dev/null
created=$(post "$api?$app" "{\"userName\":\"carol\",\"userEmail\":\"$email\",\"token\":\"$(code_for sign-up)\"}")
post "$api/me/create-password" "{\"newPassword\":\"$password\"}" -H "Authorization: Bearer $(field accessToken <<< "$created")" > /dev/null
echo "carol signed up"

# Log in with the password, then complete MFA with a code.
first=$(post "$api/login?$app" '{}' -u "carol:$password" | field accessToken)
challenge=$(post "$api/me/leverage-mfa" '{}' -H "Authorization: Bearer $first" | field challengeId)
factor="{\"challengeId\":\"$challenge\",\"token\":\"$(code_for mfa)\"}"
token=$(post "$api/me/fulfill-mfa" "$factor" -H "Authorization: Bearer $first" | field accessToken)
user=$(curl -sS "$url/_iam/users?name=carol" | field userId)
echo "with MFA: $(status_as "$token")"

# Inject a fault: only the next request of this operation fails.
post "$url/_iam/faults" '{"operation":"user-identities.get","times":1,"effect":{"status":500}}' > /dev/null
echo "with a fault: $(status_as "$token"), and after it: $(status_as "$token")"

# Move the clock: one second before the token expires, and to its expiry.
post "$url/_iam/clock" "{\"to\":\"expiry\",\"of\":\"$token\",\"offset\":\"-1s\",\"freeze\":true}" -X PUT > /dev/null
echo "one second before expiry: $(status_as "$token")"
post "$url/_iam/clock" '{"advance":"1s"}' -X PUT > /dev/null
echo "at expiry: $(status_as "$token")"

# Verify the rejection in the request log.
curl -sS --fail-with-body -o /dev/null "$url/_iam/requests/wait?operation=user-identities.get&status=401&timeout=1s"
echo "the request log contains the rejection"
