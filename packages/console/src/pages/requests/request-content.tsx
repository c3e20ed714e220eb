/** Query, headers and bodies of a request and its response, as the server redacted them. */
import { Code, Stack, Text, Title } from '@mantine/core';
import { FactTable, type RequestRecord } from './request-summary.tsx';

export function RequestContent({ request }: { readonly request: RequestRecord }) {
  const { query, body, responseBody } = request;
  const [sent, received] = [toFacts(request.headers), toFacts(request.responseHeaders)];
  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        Content
      </Title>
      {Object.keys(query).length === 0 ? undefined : <FactTable label="Query" facts={Object.entries(query)} />}
      {sent.length === 0 ? undefined : <FactTable label="Request headers" facts={sent} />}
      {received.length === 0 ? undefined : <FactTable label="Response headers" facts={received} />}
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
function toFacts(headers: RequestRecord['headers'] | undefined): [string, string][] {
  const names = [...new Set(headers?.map(({ name }) => name))];
  return names.map((name) => [
    name,
    headers
      ?.filter((header) => header.name === name)
      .map(({ value }) => value)
      .join(', ') ?? '',
  ]);
}
