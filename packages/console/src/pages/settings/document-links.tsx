/** Links to what the server serves beside the console, relative to the server or sandbox that the console shows. */
import { List, Text } from '@mantine/core';
import { PageSection } from '../../components/section.tsx';
import { ServerLink } from '../../components/server-link.tsx';

const documents = [
  ['/_iam/docs', 'API reference', 'read and try the operations'],
  ['/openapi.json', 'OpenAPI document of the interface', 'generate clients from it'],
  ['/_iam/openapi.json', 'OpenAPI document of the control plane', 'what the console and the command use'],
  ['/.well-known/openid-configuration', 'Discovery document', 'OpenID Connect Discovery'],
  ['/.well-known/oauth-authorization-server', 'OAuth server metadata', 'RFC 8414'],
  ['/.well-known/jwks.json', 'Public keys', 'JWK Set (RFC 7517)'],
  ['/metrics', 'Metrics', 'in the text format of Prometheus'],
] as const;

export function DocumentLinks() {
  return (
    <PageSection title="Documents">
      <List listStyleType="none" spacing={4}>
        {documents.map(([path, title, use]) => (
          <List.Item key={path}>
            <ServerLink path={path}>{title}</ServerLink>: {use}
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        A server with remote access requires an Authorization header for the control plane and the metrics.
      </Text>
    </PageSection>
  );
}
