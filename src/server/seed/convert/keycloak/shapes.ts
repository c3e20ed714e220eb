/** The types of the members that are converted. Keycloak rejects others; here they are left out, and reported. */
import * as z from 'zod';
import { formatPath } from '../../../../contract/errors.ts';
import { toSeedIssues } from '../../issues.ts';
import type { ImportReport } from '../report.ts';
import type { Fields } from './fields.ts';

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

/** Reports the members of a part of a realm that are left out, as their types are others. */
export function reportShapes(part: Fields, file: string, report: ImportReport): void {
  const { error } = Realm.safeParse(part, { reportInput: true });
  for (const { path, message } of error?.issues.flatMap(toSeedIssues) ?? [])
    report.lose('members', `${formatPath(path)} in ${file}`, message);
}
