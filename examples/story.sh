#!/usr/bin/env bash
# Somebody signs up, proves herself twice, meets a fault and outlives her session: with curl alone, as from any language.
# It wants a server of `npm start` or `iam serve`: IAM_BASE_URL, and IAM_APP_CLIENT_ID, the application client that the
# server told at its start. All of it happens in a sandbox of its own, with its own users, messages, faults and clock.
set -euo pipefail
server=${IAM_BASE_URL:-http://127.0.0.1:8080}
sandbox=story-$$
url=$server/s/$sandbox
api=$url/security/iam/v1/user-identities
app=clientId=${IAM_APP_CLIENT_ID:?is the application client of the server}
email=carol@example.com
password='seven green umbrellas'

# post PATH JSON [curl options], field NAME: what is sent, and one field of what comes back.
post() { curl -sS --fail-with-body -H 'Content-Type: application/json' --data "$2" "${@:3}" "$1"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
code_for() { curl -sS --fail-with-body "$url/_iam/inbox/wait?to=$email&purpose=$1&timeout=10s" | field code; }
status_as() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$api/$user"; }
trap 'curl -sS -X DELETE "$server/_iam/sandboxes/$sandbox"' EXIT

# Sign up: the code goes to the address, and the inbox tells it.
post "$api/identification?$app" "{\"userEmail\":\"$email\"}" > /dev/null
made=$(post "$api?$app" "{\"userName\":\"carol\",\"userEmail\":\"$email\",\"token\":\"$(code_for sign-up)\"}")
post "$api/me/create-password" "{\"newPassword\":\"$password\"}" -H "Authorization: Bearer $(field accessToken <<< "$made")" > /dev/null
echo "carol signed up"

# Log in by the password, then prove the address once more.
first=$(post "$api/login?$app" '{}' -u "carol:$password" | field accessToken)
challenge=$(post "$api/me/leverage-mfa" '{}' -H "Authorization: Bearer $first" | field challengeId)
proof="{\"challengeId\":\"$challenge\",\"token\":\"$(code_for mfa)\"}"
token=$(post "$api/me/fulfill-mfa" "$proof" -H "Authorization: Bearer $first" | field accessToken)
user=$(curl -sS "$url/_iam/users?name=carol" | field userId)
echo "two proofs: $(status_as "$token")"

# A fault: the next call of this operation fails, and only that.
post "$url/_iam/faults" '{"operation":"user-identities.get","times":1,"effect":{"status":500}}' > /dev/null
echo "with a fault: $(status_as "$token"), and after it: $(status_as "$token")"

# The clock: a second before the end of the token, and at its end.
post "$url/_iam/clock" "{\"to\":\"expiry\",\"of\":\"$token\",\"offset\":\"-1s\",\"freeze\":true}" -X PUT > /dev/null
echo "a second before its end: $(status_as "$token")"
post "$url/_iam/clock" '{"advance":"1s"}' -X PUT > /dev/null
echo "at its end: $(status_as "$token")"

# What the server saw of it.
curl -sS --fail-with-body -o /dev/null "$url/_iam/requests/wait?operation=user-identities.get&status=401&timeout=1s"
echo "the server refused it as well"
