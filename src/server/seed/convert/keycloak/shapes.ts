/** The types of the members that are converted. Keycloak rejects others; here they are left out, and reported. */
import * as z from 'zod';
import { formatPath } from '../../../../contract/errors.ts';
import { toSeedIssues } from '../../issues.ts';
import type { ImportReport } from '../report.ts';
import { type Fields, isAbsent, isFields } from './fields.ts';

/** PHP writes an empty object as a list. */
const object = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (Array.isArray(value) && value.length === 0 ? undefined : value), schema.nullish());
const list = <Schema extends z.ZodType>(schema: Schema) => z.array(schema.nullish()).nullish();
const text = z.union([z.string(), z.int()], 'must be text');
const texts = list(text);
const objects = list(z.looseObject({}));
const textsByName = object(z.record(z.string(), texts));

const grants = { realmRoles: texts, clientRoles: textsByName, applicationRoles: textsByName };
const Role = z.looseObject({
  name: text,
  composites: object(z.looseObject({ realm: texts, client: textsByName, application: textsByName })),
});
const rolesByName = object(z.record(z.string(), list(Role)));
const Client = z.looseObject({ redirectUris: texts, defaultRoles: texts, attributes: object(z.looseObject({})) });
const Group: z.ZodType = z.looseObject({ name: text, ...grants, subGroups: z.lazy(() => list(Group)) });

const Realm = z.looseObject({
  users: list(
    z.looseObject({
      ...grants,
      groups: texts,
      requiredActions: texts,
      credentials: objects,
      federatedIdentities: objects,
    }),
  ),
  groups: list(Group),
  clients: list(Client),
  applications: list(Client),
  oauthClients: list(Client),
  roles: object(z.looseObject({ realm: list(Role), client: rolesByName, application: rolesByName })),
  identityProviders: list(z.looseObject({ config: object(z.looseObject({})) })),
  defaultRoles: texts,
  defaultGroups: texts,
});

/** Members that are converted, of a realm and of its entries. Of another spelling, Keycloak rejects the file. */
const memberNames = {
  realm: ['users', 'groups', 'clients', 'roles', 'identityProviders'],
  users: [
    ...['username', 'email', 'emailVerified', 'enabled', 'credentials', 'groups', 'realmRoles', 'clientRoles'],
    ...['federatedIdentities', 'serviceAccountClientId'],
  ],
  groups: ['name', 'realmRoles', 'clientRoles', 'subGroups'],
  clients: [
    ...['clientId', 'secret', 'enabled', 'publicClient', 'bearerOnly', 'serviceAccountsEnabled', 'redirectUris'],
    'directAccessGrantsEnabled',
  ],
} as const;

/** What people call members of users. */
const otherNames: Readonly<Record<string, string>> = { roles: 'realmRoles', password: 'credentials' };

const foldName = (name: string) => name.toLowerCase().replace(/[^a-z]|s$/g, '');

/** Reports the members of a part of a realm that are left out, as their types are others. */
export function reportShapes(part: Fields, file: string, report: ImportReport): void {
  const { error } = Realm.safeParse(part, { reportInput: true });
  for (const { path, message } of error?.issues.flatMap(toSeedIssues) ?? [])
    report.lose('members', `${formatPath(path)} in ${file}`, message);
  const reportNames = (fields: Fields, kind: keyof typeof memberNames, path: readonly PropertyKey[]) => {
    for (const { member, meant } of listMisspelled(fields, kind))
      report.lose(
        'members',
        `${formatPath([...path, member])} in ${file}`,
        `is called ${meant} in Keycloak: rename it`,
      );
  };
  reportNames(part, 'realm', []);
  for (const kind of ['users', 'groups', 'clients'] as const)
    for (const [at, entry] of [part[kind]].flat().entries()) if (isFields(entry)) reportNames(entry, kind, [kind, at]);
}

/** Members with nearly the name of one that is converted, such as `Users` of a realm or `realm_roles` of a user. */
function listMisspelled(fields: Fields, kind: keyof typeof memberNames): { member: string; meant: string }[] {
  const known = new Map<string, string>(memberNames[kind].map((name) => [foldName(name), name]));
  return Object.keys(fields).flatMap((member) => {
    const meant = (kind === 'users' ? otherNames[member] : undefined) ?? known.get(foldName(member));
    return meant === undefined || meant === member || isAbsent(fields[member]) ? [] : [{ member, meant }];
  });
}
