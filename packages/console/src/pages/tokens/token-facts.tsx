/** The result of an inspection: state and reason, claims, roles, session, key and header. */
import { Alert, Code, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { paths } from '#control-api';
import { RoleChips } from '../../components/object/role-chip.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { NamedSubject, type SubjectKind } from '../../components/subject.tsx';

export type InspectedToken = paths['/tokens/inspect']['post']['responses'][200]['content']['application/json'];

/** Claims that are a time in seconds since the epoch (RFC 7519, 2). */
const timeClaims = ['exp', 'iat', 'nbf', 'auth_time'];

/** Of a date in JavaScript. A forged claim can be any number. */
const maxSeconds = 8.64e12;

/** Fields of the session and the key that are a time. */
const timeFields = ['startedAt', 'endsAt', 'createdAt', 'expiresAt'];

export function TokenFacts({ inspection }: { readonly inspection: InspectedToken }) {
  const { claims, header, key, session, roles } = inspection;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
      {claims ? <ValueTable title="Claims" values={claims} /> : undefined}
      <Stack gap="md">
        {roles ? <ValueTable title="Current roles" values={{ roles }} /> : undefined}
        {session ? <ValueTable title="Session" values={withoutNames(session)} /> : undefined}
        {key ? <ValueTable title="Key" values={key} /> : undefined}
        {header ? <ValueTable title="Header" values={header} /> : undefined}
      </Stack>
    </SimpleGrid>
  );
}

/** Of a text that is no token there is nothing else to say. */
export function TokenState({
  inspection: { active, status, reason, kind, verified, expiresAt, header },
}: {
  readonly inspection: InspectedToken;
}) {
  if (kind === 'unknown')
    return (
      <Alert color="red" title="This is no token of this server" role="status">
        It is not a JSON Web Token, and no refresh token, product token or one-time token of the server has this value.
      </Alert>
    );
  return (
    <Alert
      color={active ? 'green' : 'red'}
      variant="light"
      title={
        active
          ? 'The server accepts this token'
          : `The server rejects this token: ${header?.alg === 'none' ? 'not signed' : status}`
      }
      role="status"
    >
      {reason === undefined ? undefined : <Text>{reason}</Text>}
      <Text>
        Kind: {kind}.{kind === 'jwt' ? ` Signature: ${verified ? 'valid' : 'not by a key of this server'}.` : undefined}
        {expiresAt === undefined ? undefined : (
          <>
            {' '}
            Expiry: <ServerTime at={expiresAt} />.
          </>
        )}
      </Text>
    </Alert>
  );
}

/** They are shown with the ids. */
function withoutNames({ userName: _user, clientName: _client, ...session }: NonNullable<InspectedToken['session']>) {
  return session;
}

interface ValueTableProps {
  readonly title: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function ValueTable({ title, values }: ValueTableProps) {
  const facts = Object.entries(values).map(([name, value]) => [
    name,
    <ClaimValue key={name} name={name} value={value} kind={kindOf(name, values)} />,
  ]);
  if (facts.length === 0) return undefined;
  return (
    <section>
      <Title order={2} size="h5">
        {title}
      </Title>
      <ObjectFacts label={title} facts={Object.fromEntries(facts)} />
    </section>
  );
}

/** Claims and fields that contain an id. */
const claimKinds: Readonly<Record<string, SubjectKind>> = {
  user_id: 'user',
  client_id: 'client',
  service_id: 'service',
  userId: 'user',
  clientId: 'client',
};

/** The subject of a token is its user, or else its client. */
function kindOf(name: string, { sub, user_id: userId }: ValueTableProps['values']): SubjectKind | undefined {
  return name === 'sub' && typeof sub === 'string' ? (sub === userId ? 'user' : 'client') : claimKinds[name];
}

interface ClaimValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly kind: SubjectKind | undefined;
}

function ClaimValue({ name, value, kind }: ClaimValueProps) {
  if (typeof value === 'number' && timeClaims.includes(name) && Math.abs(value) <= maxSeconds)
    return (
      <>
        <Code>{value}</Code> <ServerTime at={new Date(value * 1000).toISOString()} />
      </>
    );
  if (kind !== undefined && typeof value === 'string') return <NamedSubject kind={kind} id={value} />;
  if (isTextList(value)) return value.length === 0 ? 'none' : <RoleChips roles={value} />;
  if (typeof value !== 'string') return <Code>{JSON.stringify(value)}</Code>;
  return timeFields.includes(name) ? <ServerTime at={value} /> : value;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
