/** A document with an entry of each kind, for the plan fixture. */
export const everything = `set: base
customers:
  - {businessId: b9, businessName: Nine, document: "9"}
  - {userId: u2, document: "22", name: Bert}
clients:
  - {serviceAccountId: billing, appId: billing, scope: [READ, WRITE]}
apiKeys:
  - {serviceAccountId: billing, appId: reports}
corporateGroups:
  - {corporateGroupName: holding, organizationId: acme, businesses: [b1, b9]}
groups:
  - groupName: leads
    roles: [LEAD, ROLE_APPROVE]
    dependencies: [{groupName: ops}]
    users: [u1]
  - groupName: ops
    organizationId: acme
    roles: [DEPLOY]
    users: [u2, u3]
    businesses: [b9]
    businessUsers: [{businessId: b1, userId: u1}]
    services: [billing]
`;
