#!/usr/bin/env bash
# Groups, roles, users, a service with its key, and who is in what. What is there already stays as it is, so this can be
# run again at any time. It wants credentials of an administrator: eval "$(iam env)", or IAM_CLIENT_ID and
# IAM_CLIENT_SECRET. New secrets go to files that only you can read, in the folder SECRETS.
set -euo pipefail
secrets=${SECRETS:-secrets}
mkdir -p -m 700 "$secrets"
iam() { "${IAM:-$(dirname "$0")/../bin/iam.js}" --no-input --quiet "$@"; }
make() { iam "$@" --if-not-exists > /dev/null; }

# Two groups, one resting on the other: who is in billing has VIEW as well.
make groups create --group-name viewers
make groups create --group-name billing
iam groups update viewers --add-role VIEW
iam groups update billing --add-role INVOICE --add-role REFUND --add-dependency viewers

# Users, and a service with a key.
for user in alice bob; do
  make users create --user-id "$user" --user-name "$user" --user-email "$user@example.com"
done
make clients create --app-id invoices --service-account-id invoices-service --secret-output "$secrets/client-secret"
client=$(iam clients list --name invoices-service -o name)
if [ -z "$(iam api-key list --client-id "$client" -o name)" ]; then
  iam api-key create --client-id "$client" --app-id invoices --secret-output "$secrets/api-key"
fi

# Who is in what, and what came of it: this ends with 1 where the answer is no.
iam groups users add billing alice bob
iam groups services add billing invoices-service
iam can alice REFUND
iam can invoices-service VIEW
