/** Links to what the server serves beside the console, relative to the server or sandbox that the console shows. */
import { Text } from '@mantine/core';
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
      <ul className="documents">
        {documents.map(([path, title, use]) => (
          <li key={path}>
            <ServerLink path={path}>{title}</ServerLink>
            <Text size="sm" c="dimmed">
              {use}
            </Text>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        A server with remote access requires an Authorization header for the control plane and the metrics.
      </Text>
    </PageSection>
  );
}
