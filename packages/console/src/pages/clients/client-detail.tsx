/** One client: what it is, the groups of its service account, and what it may do. */
import { loginGrantTypes } from '../../../../../src/contract/grant-types.ts';
import type { ControlData } from '../../api/clients.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useVersioned } from '../../api/use-versioned.ts';
import { nameOfClient, OwnerOfClient } from '../../components/client-owner.tsx';
import { quotePositional } from '../../components/equivalents.tsx';
import { RoleChips } from '../../components/object/role-chip.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectPage } from '../../components/object-page.tsx';
import { PageSection } from '../../components/section.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { buildHistoryTab } from '../audit/history.tsx';
import { MemberGroups } from '../groups/members/member-groups.tsx';
import { buildRequestsTab } from '../requests/caller-requests.tsx';
import { ClientKeys } from './client-keys.tsx';
import { DeleteClient } from './delete-client.tsx';
import { EditClient } from './edit-client.tsx';
import { RotateClientSecret } from './rotate-client-secret.tsx';

type ShownClient = ControlData<'/clients/{id}'>;

export function ClientDetail({ clientId }: { readonly clientId: string }) {
  const read: ApiRequest<ShownClient> = ({ control }, signal) =>
    control.GET('/clients/{id}', { params: { path: { id: clientId } }, signal });
  const query = useVersioned(['clients', 'one', clientId], read);
  return (
    <ObjectPage
      list={{ path: '/clients', title: 'All clients' }}
      title="Client"
      nameOf={({ value }) => ({ id: value.clientId, name: nameOfClient(value) })}
      query={query}
      command={`clients get ${quotePositional(clientId)}`}
      call={read}
      renderActions={(current) => (
        <>
          <EditClient current={current} />
          <RotateClientSecret client={current.value} />
          <DeleteClient client={current.value} />
        </>
      )}
      listTabs={({ value: client }) => [
        { name: 'access', title: 'Access', render: () => <ClientAccess client={client} /> },
        { name: 'keys', title: 'API keys', render: () => <ClientKeys client={client} /> },
        buildRequestsTab(client.clientId),
        buildHistoryTab('client', client.clientId),
      ]}
    >
      {({ value }) => <ClientFacts client={value} />}
    </ObjectPage>
  );
}

function ClientAccess({ client }: { readonly client: ShownClient }) {
  const { effectiveRoles, effectiveRoleCount } = client;
  return (
    <>
      <ServiceGroups client={client} />
      <PageSection
        title={`Effective roles (${effectiveRoleCount})`}
        emptyText={effectiveRoleCount === 0 ? 'None.' : undefined}
      >
        <RoleChips roles={effectiveRoles} total={effectiveRoleCount} />
      </PageSection>
    </>
  );
}

function ClientFacts({ client }: { readonly client: ShownClient }) {
  const isOwned = (client.userId ?? client.businessId ?? client.ownerClientId) !== undefined;
  return (
    <ObjectFacts
      label="Client"
      facts={{
        Application: client.appId,
        Party: client.party,
        'Service account': client.serviceAccountId,
        'Own authorities': client.authorities.join(', '),
        Scopes: client.scope.join(', '),
        'Grant types': client.grantTypes.join(', '),
        'Browser logins': describeBrowserLogins(client),
        'Redirect URIs': client.redirectURIs.join(', '),
        'Redirect URIs after logout': client.postLogoutRedirectURIs.join(', '),
        PKCE: client.requirePkce === false ? 'Not required' : undefined,
        'Pushed requests': client.requirePushedAuthorizationRequests ? 'Required' : undefined,
        'ID tokens': client.idTokenAlg,
        Audiences: client.audiences.join(', '),
        Owner: isOwned ? <OwnerOfClient client={client} /> : undefined,
        Organization: client.organizationId,
        'Business unit': client.businessUnitId,
        'Visible MFA contacts': client.factorVisibility,
        Created: <ServerTime at={client.createdAt} />,
        'Secret rotated': client.secretRotatedAt && <ServerTime at={client.secretRotatedAt} />,
        'Previous secret until': client.previousSecretEndsAt && <ServerTime at={client.previousSecretEndsAt} />,
      }}
    />
  );
}

/** Undefined for a client that no setting lets users log in to. */
function describeBrowserLogins({ party, grantTypes, browserLogin }: ShownClient): string | undefined {
  if (browserLogin === undefined && !loginGrantTypes.some((name) => grantTypes.includes(name))) return undefined;
  return (browserLogin ?? party === '1STPARTY') ? 'Yes' : 'No';
}

/** What shows the groups of a service account. */
const clientQueries = ['clients', 'groups'];

function ServiceGroups({ client: { serviceAccountId: id, groups, groupCount } }: { readonly client: ShownClient }) {
  return (
    <MemberGroups
      member={id === undefined ? undefined : { kind: 'service', id, name: id }}
      groups={groups}
      groupCount={groupCount}
      emptyText={
        id === undefined
          ? 'Without a service account it can be in no group. Edit the client to give it one.'
          : 'In no group. Roles come from groups: add the service account to one.'
      }
      removeNote="The client loses the roles that only this group gives, with its next request."
      changes={clientQueries}
    />
  );
}
