/**
 * Members that Keycloak still imports as others: those of its first versions, and what authorization services imply
 * (DefaultExportImportManager.convertDeprecated… and RepresentationToModel.importAuthorizationSettings of Keycloak).
 */
import { type Fields, isAbsent, isFields, toFlag, toObjects, toText } from './fields.ts';

/** The realm with the members that newer versions export. */
export function upgradeRealm(realm: Fields): Fields {
  return {
    ...upgradeProviders(realm),
    ...upgradeList(realm, 'users', upgradeUser),
    ...upgradeClients(realm),
    ...(isFields(realm.roles) ? { roles: upgradeRoles(realm.roles) } : {}),
  };
}

function upgradeList(fields: Fields, name: string, upgrade: (entry: Fields) => Fields): Fields {
  return Array.isArray(fields[name]) ? { [name]: toObjects(fields[name]).map(upgrade) } : {};
}

/** Copies the value of a former member to its successor, unless that has one. */
function rename(fields: Fields, former: string, successor: string): Fields {
  return isAbsent(fields[former]) || !isAbsent(fields[successor]) ? fields : { ...fields, [successor]: fields[former] };
}

/** Applications and OAuth clients had a name only, which is the id of a client. Without one, Keycloak takes the internal id. */
function upgradeClients({ clients, applications, oauthClients }: Fields): Fields {
  const former = [...toObjects(applications), ...toObjects(oauthClients)];
  const all = [...toObjects(clients), ...former.map((client) => ({ ...client, clientId: client.name, name: null }))];
  return { clients: all.map(upgradeClient) };
}

function upgradeClient(client: Fields): Fields {
  const isDirect = toFlag(client.directGrantsOnly, false);
  return {
    ...rename(client, 'id', 'clientId'),
    ...(isAbsent(client.directGrantsOnly)
      ? {}
      : { standardFlowEnabled: !isDirect, directAccessGrantsEnabled: isDirect }),
    ...(toFlag(client.authorizationServicesEnabled, false)
      ? { serviceAccountsEnabled: true, bearerOnly: false, publicClient: false }
      : {}),
  };
}

function upgradeUser(user: Fields): Fields {
  const upgraded = rename(user, 'applicationRoles', 'clientRoles');
  const links = toObjects(user.socialLinks).map(({ socialProvider, socialUserId }) => ({
    identityProvider: socialProvider,
    userId: socialUserId,
  }));
  return links.length > 0 && isAbsent(user.federatedIdentities)
    ? { ...upgraded, federatedIdentities: links }
    : upgraded;
}

function upgradeRoles(roles: Fields): Fields {
  const { client, ...others } = rename(roles, 'application', 'client');
  return {
    ...others,
    ...upgradeList(roles, 'realm', upgradeRole),
    ...(isFields(client)
      ? { client: Object.fromEntries(Object.keys(client).map((id) => [id, toObjects(client[id]).map(upgradeRole)])) }
      : {}),
  };
}

function upgradeRole(role: Fields): Fields {
  return isFields(role.composites) ? { ...role, composites: rename(role.composites, 'application', 'client') } : role;
}

/** Settings such as `google.key` and `google.secret`. */
function upgradeProviders(realm: Fields): Fields {
  const { social, socialProviders, identityProviders } = realm;
  if (!toFlag(social, false) || !isFields(socialProviders) || !isAbsent(identityProviders)) return realm;
  const providers = Object.keys(socialProviders).flatMap((name) => {
    const [alias] = name.split('.');
    return name.endsWith('.key')
      ? [{ alias, providerId: alias, config: { clientId: toText(socialProviders[name]) } }]
      : [];
  });
  return { ...realm, identityProviders: providers };
}
