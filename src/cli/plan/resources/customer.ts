/** Customers: businesses and users. The API can create them, but neither change nor delete them. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { isAssignedId } from '../../output/value-prefix.ts';
import { createResource } from '../../request/call-operation.ts';
import { type Execution, recordCreation } from '../execution.ts';
import {
  acceptChanges,
  type CustomerChange,
  type DiffResult,
  diffValue,
  joinResults,
  type PlanIssue,
  rejectEntry,
  type Step,
  selectChanges,
} from '../model/changes.ts';
import type { DesiredCustomer, DocumentEntry } from '../model/desired-entries.ts';
import type { Portable } from '../model/portable.ts';
import { isMissing, type RemoteBusiness, type RemoteCustomer, type RemoteState } from '../model/remote-state.ts';
import type { ResourceIndex } from '../model/resource-index.ts';
import { readControlList } from '../read-list.ts';
import type { Resource } from '../resource.ts';
import { valueSchemas } from '../value-schemas.ts';
import { described, id, idOrName, object } from './document-schema.ts';

type CustomerStep = Extract<Step, { kind: 'customer' }>;

/** A customer is identified by its business or user, and a new business also by its document number. */
export const customerResource: Resource<DesiredCustomer, RemoteCustomer, CustomerChange, CustomerStep> = {
  kind: 'customer',
  label: 'customer',
  list: 'customers',
  needsControlPlane: true,
  recordKinds: ['customer'],
  requires: [],
  schema: createSchema(),
  nameField: 'businessId',
  sortFields: ['businessId', 'userId', 'businessName', 'document'],
  parse: parseCustomer,
  uniqueNames: ({ kind, document, businessId, userId }) => {
    const owner = businessId ?? userId;
    return [`${kind} with the document ${document}`, ...(owner === undefined ? [] : [`customer ${owner}`])];
  },
  validate: (documents) => documents.flatMap(validateCustomer),
  read: async (context, state) => {
    const customers = (await readControlList(context, '/_iam/customers')) as RemoteCustomer[];
    const businesses = (await readControlList(context, '/_iam/businesses')) as RemoteBusiness[];
    return {
      customers,
      businesses: new Map([...state.businesses, ...businesses.map((one) => [one.businessId, one] as const)]),
    };
  },
  listRemote: ({ customers = [] }) => customers,
  idOf: ({ customerId }) => String(customerId),
  find: (document, index) => index.customer(document),
  diff: (documents, { index }) => joinResults(documents.map((document) => diffCustomer(document, index))),
  listReferences: (documents) => ({
    users: documents.flatMap(({ userId }) => userId ?? []),
    businesses: documents.flatMap(({ businessId }) => businessId ?? []),
  }),
  check: (documents, { state }) =>
    documents.flatMap(({ path, userId }) =>
      userId !== undefined && isMissing(state.users, userId)
        ? [{ path: `${path}/userId`, message: `user ${userId} not found` }]
        : [],
    ),
  order: (changes) => ({
    write: [selectChanges(changes, 'customer').map((change): CustomerStep => ({ kind: 'customer', change }))],
  }),
  // The server gives customers names and ids.
  creationDefaults: {},
  // A document number is unique among users, and among businesses.
  creationKey: ({ userId, document }) => `${userId === undefined ? 'business' : 'user'} ${document}`,
  write: writeCustomer,
  export: ({ customers = [], businesses }, portable) =>
    customers.flatMap((customer) => buildCustomerEntry(customer, businesses, portable)),
};

function createSchema(): JsonSchema {
  return object(
    {
      businessId: id('Business id; generated if omitted, and then groups name the business by its businessName'),
      businessName: described(valueSchemas.customer.businessName, 'Business name'),
      userId: idOrName('Id or login name of the user who is the customer'),
      name: described(valueSchemas.customer.name, 'Name of a user customer'),
      document: described(valueSchemas.customer.document, 'Official document number of the customer'),
      organizationId: described(valueSchemas.customer.organizationId, 'Organization the business belongs to'),
      businessUnitId: described(valueSchemas.customer.businessUnitId, 'Business unit the business belongs to'),
    },
    ['document'],
    'A customer: a business with a businessName, or a user with a userId.',
  );
}

function parseCustomer(entry: DocumentEntry, path: string): DesiredCustomer {
  const { businessId, userId, document, ...fields } = entry;
  const ids = Object.fromEntries(Object.entries({ businessId, userId }).filter(([, value]) => value !== undefined));
  return { path, kind: userId === undefined ? 'business' : 'user', ...ids, document: String(document), fields };
}

function validateCustomer({ path, kind, businessId, fields }: DesiredCustomer): PlanIssue[] {
  const { businessName, name, organizationId, businessUnitId } = fields;
  if (kind === 'business') {
    if (businessName === undefined) return [{ path, message: 'a customer needs a businessName or a userId' }];
    return name === undefined ? [] : [{ path: `${path}/name`, message: 'use businessName for the name of a business' }];
  }
  const unexpected = Object.entries({ businessId, businessName, organizationId, businessUnitId });
  return unexpected.flatMap(([field, value]) =>
    value === undefined ? [] : [{ path: `${path}/${field}`, message: `a customer with a userId has no ${field}` }],
  );
}

/** The id of the user or business of a customer, with its name. */
function formatOwner({ businessId, userId, name }: RemoteCustomer): string {
  return `${businessId ?? userId}${name === undefined ? '' : ` (${name})`}`;
}

/** Computes the change of one customer: customers can be created but not updated. */
function diffCustomer(desired: DesiredCustomer, index: ResourceIndex): DiffResult<CustomerChange> {
  const known = index.customer(desired);
  if (known) return diffExistingCustomer(desired, known, index);
  const { path, kind, businessId, userId, document, fields } = desired;
  const owner = index.documentOwner(desired);
  if (owner) return rejectEntry(`${path}/document`, `the document ${document} belongs to ${formatOwner(owner)}`);
  if (businessId !== undefined && index.business(businessId))
    return rejectEntry(path, `the business ${businessId} exists but is not a customer; the API can't make it one`);
  const operation = kind === 'user' ? 'customers.create-user' : 'customers.create-business';
  const ids = { ...(businessId === undefined ? {} : { businessId }), ...(userId === undefined ? {} : { userId }) };
  const body = { ...ids, document, ...fields };
  const fieldChanges = Object.entries({ document, ...fields }).flatMap(([field, value]) =>
    diffValue(field, undefined, value),
  );
  const name = userId ?? businessId ?? String(fields.businessName);
  return acceptChanges([{ action: 'create', kind: 'customer', name, fields: fieldChanges, operation, body }]);
}

function diffExistingCustomer(
  { path, kind, document, fields }: DesiredCustomer,
  known: RemoteCustomer,
  index: ResourceIndex,
): DiffResult<CustomerChange> {
  const business = known.businessId === undefined ? undefined : index.business(known.businessId);
  const current: Readonly<Record<string, unknown>> =
    kind === 'user'
      ? { ...known }
      : { ...business, document: known.document, businessName: business?.businessName ?? known.name };
  const different = Object.entries({ document, ...fields }).filter(([field, value]) => current[field] !== value);
  return {
    changes: [],
    issues: different.map(([field]) => ({
      path: `${path}/${field}`,
      message: `${field} of the customer ${known.customerId} of ${formatOwner(known)} is ${current[field] ?? 'not set'}; the API can't change it`,
    })),
  };
}

async function writeCustomer(execution: Execution, { change: { operation, body, name } }: CustomerStep): Promise<void> {
  // The names of businesses are those of another resource.
  const { document, userId, businessId } = body;
  const sent = { document, userId, businessId };
  const created = await recordCreation(execution, {
    resources: [{ kind: 'customer', key: customerResource.creationKey(sent), name, sent }],
    send: () => createResource(execution.context, operation, body),
    idsOf: ({ customerId }) => [String(customerId)],
  });
  if (created.businessId !== undefined) execution.businessIds.set(name, String(created.businessId));
}

/** A business that its name identifies has no id: another server gives it its own, and finds it by its document. */
function buildCustomerEntry(
  { customerId, businessId, userId, name, document }: RemoteCustomer,
  businesses: RemoteState['businesses'],
  portable: Portable,
): DocumentEntry[] {
  if (userId !== undefined) return [{ userId: portable.user(userId), name, document }];
  const business = businesses.get(businessId ?? '');
  if (business) {
    const isNamed = portable.businessName(business.businessId) !== undefined;
    if (isNamed && !isAssignedId(business.businessId))
      portable.note(
        'without their chosen ids: businesses',
        business.businessId,
        'their names identify them, and another server assigns ids; add businessId to the customer, and name it by this id elsewhere, to keep it',
      );
    return [{ ...business, ...(isNamed ? { businessId: undefined } : {}), document }];
  }
  portable.note('left out: customers', String(customerId), 'their businesses no longer exist');
  return [];
}
