/** Query, headers and bodies of a request and its response, as the server redacted them. */
import { Code, Stack, Text, Title } from '@mantine/core';
import { ObjectFacts } from '../../components/object-facts.tsx';
import type { RequestRecord } from './request-summary.tsx';

export function RequestContent({ request }: { readonly request: RequestRecord }) {
  const { query, body, responseBody } = request;
  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        Content
      </Title>
      <ObjectFacts label="Query" facts={query} />
      <ObjectFacts label="Request headers" facts={toFacts(request.headers)} />
      <ObjectFacts label="Response headers" facts={toFacts(request.responseHeaders)} />
      <BodyText label="Request body" body={body} />
      <BodyText label="Response body" body={responseBody} />
    </Stack>
  );
}

function BodyText({ label, body }: { readonly label: string; readonly body: unknown }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      {body === undefined ? (
        <Text size="sm">None</Text>
      ) : (
        <Code block tabIndex={0} aria-label={label} mah={320} style={{ overflow: 'auto' }}>
          {JSON.stringify(body, undefined, 2)}
        </Code>
      )}
    </div>
  );
}

/** A header may occur several times. Older servers return none. */
function toFacts(headers: RequestRecord['headers'] | undefined = []): Readonly<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const { name, value } of headers) facts[name] = name in facts ? `${facts[name]}, ${value}` : value;
  return facts;
}
