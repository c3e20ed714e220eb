#!/usr/bin/env bash
# Tests in bash with curl and sed only. ../story.sh also shows sign-up, MFA and the request log.
set -euo pipefail
. "$(dirname "$0")/iam.sh"
trap stop_server EXIT
start_server

# seed_for USER [USER]: the first user is an auditor.
seed_for() {
  local users='' name
  for name in "$@"; do users="$users,{\"userId\":\"$name\",\"userName\":\"$name\",\"userEmail\":\"$name@example.com\"}"; done
  echo "{\"clients\":[{\"clientId\":\"web\",\"appId\":\"web\",\"party\":\"1STPARTY\"}],\"users\":[${users#,}],
    \"groups\":[{\"groupName\":\"auditors\",\"roles\":[\"ADMIN\"],\"users\":[\"$1\"]}]}"
}

expect() { [ "$2" = "$3" ] || { echo "not ok $1: expected $2, got $3" >&2; return 1; }; }

a_role_decides() {
  local url
  url=$(create_sandbox "curl-role-$$" "$(seed_for ann bob)")
  expect 'ann reads the group' 200 "$(status_as "$(sign_in "$url" ann)" "$url/security/iam/v1/groups/auditors")"
  expect 'bob lacks the role' 403 "$(status_as "$(sign_in "$url" bob)" "$url/security/iam/v1/groups/auditors")"
  local id
  id=$(send GET "$url/_iam/requests?status=403" | field id)
  expect 'why' '["IAM_ADMIN_READ_ONLY"]' "$(send GET "$url/_iam/requests/$id/why" | sed -n 's/.*"missing":\([^]]*]\).*/\1/p')"
  delete_sandbox "$url"
}

a_code_resets_the_password() {
  local url users last code change
  url=$(create_sandbox "curl-code-$$" "$(seed_for ann)")
  users=$url/security/iam/v1/user-identities
  last=$(last_message "$url" ann@example.com)
  send POST "$users/retrieve-identity?clientId=web" '{"userName":"ann"}' > /dev/null
  code=$(code_after "$url" ann@example.com "$last")
  change="{\"username\":\"ann\",\"validationCode\":\"$code\",\"newPassword\":\"seven green umbrellas\"}"
  send POST "$users/reset-password?clientId=web" "$change" > /dev/null
  send POST "$users/login?clientId=web" '' -u 'ann:seven green umbrellas' > /dev/null
  delete_sandbox "$url"
}

a_reset_restores_the_seed() {
  local url
  url=$(create_sandbox "curl-reset-$$" "$(seed_for ann)")
  send POST "$url/_iam/seed" '{"users":[{"userId":"carl","userName":"carl"}]}' > /dev/null
  sign_in "$url" carl > /dev/null
  send POST "$url/_iam/state/reset" '{"to":"seed"}'
  expect 'users named carl' '[]' "$(send GET "$url/_iam/users?name=carl")"
  delete_sandbox "$url"
}

use_sandbox() {
  local number=$1 name=user-$1 first=200 second=200 url token group
  url=$(create_sandbox "curl-$$-$number" "$(seed_for "$name")")
  group=$url/security/iam/v1/groups/auditors
  token=$(sign_in "$url" "$name")
  if [ $((number % 4)) -lt 2 ]; then
    first=503
    send POST "$url/_iam/faults" '{"times":1,"effect":{"status":503}}' > /dev/null
  fi
  expect "the first request of $name" $first "$(status_as "$token" "$group")"
  if [ $((number % 2)) = 1 ]; then
    second=401
    send PUT "$url/_iam/clock" "{\"to\":\"expiry\",\"of\":\"$token\"}" > /dev/null
  fi
  expect "the second request of $name" $second "$(status_as "$token" "$group")"
  expect "users of another sandbox" '[]' "$(send GET "$url/_iam/users?name=user-$(((number + 1) % 20))")"
  delete_sandbox "$url"
}

twenty_sandboxes_in_parallel() {
  local number pid pids=()
  for number in $(seq 0 19); do
    use_sandbox "$number" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
}

for test in a_role_decides a_code_resets_the_password a_reset_restores_the_seed twenty_sandboxes_in_parallel; do
  $test
  echo "ok $test"
done
