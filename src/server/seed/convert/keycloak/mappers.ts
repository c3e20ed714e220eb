/** Mappers that give roles or groups at a login. Those of attributes have no place here. */
import type { ImportReport } from '../report.ts';
import { type Fields, isFields, toObjects, toText } from './fields.ts';
import type { Realm } from './realm.ts';

export function reportMappers({ clients, fields }: Realm, report: ImportReport): void {
  for (const mapper of toObjects(fields.identityProviderMappers))
    reportMapper(mapper, mapper.identityProviderAlias, report);
  for (const { clientId, protocolMappers } of clients)
    for (const mapper of toObjects(protocolMappers)) reportMapper(mapper, clientId, report);
  for (const { name, protocolMappers } of toObjects(fields.clientScopes))
    for (const mapper of toObjects(protocolMappers)) reportMapper(mapper, name, report);
}

function reportMapper({ name, config }: Fields, owner: unknown, report: ImportReport): void {
  if (!isFields(config)) return;
  const granted = toText(config.role) ?? toText(config.group);
  if (granted !== undefined)
    report.lose(
      'mappers',
      `${toText(name) ?? ''} of ${toText(owner) ?? ''}`,
      `a login does not give ${granted} here: add its users to a group with this role`,
    );
}
