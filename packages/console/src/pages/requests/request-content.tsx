/** Query, headers and bodies of a request and its response, as the server redacted them. */
import { Code, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ObjectFacts } from '../../components/object-facts.tsx';
import type { RequestRecord } from './request-summary.tsx';

export function RequestContent({ request }: { readonly request: RequestRecord }) {
  const { query, body, responseBody } = request;
  return (
    <Stack gap="md">
      <Title order={2} size="h5">
        Content
      </Title>
      <Facts label="Query" facts={query} />
      <Facts label="Request headers" facts={toFacts(request.headers)} />
      <BodyText label="Request body" body={body} absence={absences[request.bodyState]} />
      <Facts label="Response headers" facts={toFacts(request.responseHeaders)} />
      <BodyText label="Response body" body={responseBody} absence="None" />
      <CurlCommand request={request} />
    </Stack>
  );
}

interface ContentPartProps {
  readonly label: string;
  readonly children: ReactNode;
}

function ContentPart({ label, children }: ContentPartProps) {
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {label}
      </Title>
      {children}
    </div>
  );
}

interface FactsProps {
  readonly label: string;
  readonly facts: Readonly<Record<string, string>>;
}

function Facts({ label, facts }: FactsProps) {
  if (Object.keys(facts).length === 0) return undefined;
  return (
    <ContentPart label={label}>
      <ObjectFacts label={label} facts={facts} />
    </ContentPart>
  );
}

/** What "Copy as curl" copies, with the variables that it needs. */
function CurlCommand({ request: { curl, placeholders } }: { readonly request: RequestRecord }) {
  return (
    <ContentPart label="As curl">
      <Code block tabIndex={0} aria-label="As curl" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {curl}
      </Code>
      {placeholders.map(({ variable, in: part, path }) => (
        <Text key={variable} size="sm">
          <Code>{variable}</Code>: {path.join('.') || 'the whole body'}
          {part === 'body' ? undefined : `, ${part}`}
        </Text>
      ))}
    </ContentPart>
  );
}

/** Why the log contains no body. */
const absences: Readonly<Record<RequestRecord['bodyState'], string>> = {
  none: 'None',
  read: 'None',
  'not-read': 'Not read: the request was refused before.',
  'not-json': 'Not JSON, or in another form that the operation does not accept.',
  'too-long': 'Longer than 8 KiB, which the log does not store.',
};

interface BodyTextProps {
  readonly label: string;
  readonly body: unknown;
  readonly absence: string;
}

function BodyText({ label, body, absence }: BodyTextProps) {
  return (
    <ContentPart label={label}>
      {body === undefined ? (
        <Text size="sm">{absence}</Text>
      ) : (
        <Code block tabIndex={0} aria-label={label} mah={320} style={{ overflow: 'auto' }}>
          {JSON.stringify(body, undefined, 2)}
        </Code>
      )}
    </ContentPart>
  );
}

/** A header may occur several times. Older servers return none. */
function toFacts(headers: RequestRecord['headers'] | undefined = []): Readonly<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const { name, value } of headers) facts[name] = name in facts ? `${facts[name]}, ${value}` : value;
  return facts;
}
