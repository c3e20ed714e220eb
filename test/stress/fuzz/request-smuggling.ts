/**
 * Request smuggling (RFC 9112, section 11.2): requests with an ambiguous end, each followed by another request.
 * They are rejected, the connection is closed, and the request behind them is not processed.
 */
import fc from 'fast-check';
import { basicAuthorization } from '../../../src/client/index.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, startServer } from '../../harness.ts';
import { registry } from '../../server/property/bad-input.ts';
import { exchange } from '../../server/property/raw-sender.ts';
import { type Draw, drawOne } from '../../server/property/request-generator.ts';
import { assertThat } from '../races/race.ts';

const body = '{"groupName":"smuggled"}';
const smuggledRequest = [
  `POST ${servicePrefix}/groups HTTP/1.1`,
  'Host: localhost',
  'Connection: close',
  `Authorization: ${basicAuthorization(adminClient)}`,
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n');

/** Headers with a duplicate or ambiguous length of the body; the line ends are part of each case. */
const ambiguousHeaders = [
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 0\r\n',
  'Content-Length: 5\r\nContent-Length: 6\r\n',
  'Content-Length: 0\r\nContent-Length: 5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length: +5\r\n',
  'Content-Length: -5\r\n',
  'Content-Length: 0x5\r\n',
  'Content-Length: 5 5\r\n',
  'Content-Length: 18446744073709551621\r\n',
  'Content-Length:\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding: xchunked\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding: "chunked"\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Content-Length : 5\r\n',
  'X-A: b\nTransfer-Encoding: chunked\r\n',
  'X-A: b\rTransfer-Encoding: chunked\r\n',
  'X-A: b\r\n Transfer-Encoding: chunked\r\n',
  'X-A: b\0\r\nTransfer-Encoding: chunked\r\n',
];

/** Malformed chunked bodies, sent after valid headers. */
const malformedChunks = [
  '5;\n\r\nhello\r\n0\r\n\r\n',
  '+0\r\n\r\n',
  '0x0\r\n\r\n',
  '-0\r\n\r\n',
  '1\r\nab\r\n0\r\n\r\n',
  ' 0\r\n\r\n',
];

function drawRequest(draw: Draw): string {
  const { method, path } = drawOne(
    draw,
    registry.filter((operation) => operation.method !== 'GET' && !operation.path.includes('{')),
  );
  const validHeaders = ['Content-Type: application/json\r\n', 'X-A: b\r\n', 'Accept: */*\r\n'].filter(() =>
    draw(fc.boolean),
  );
  const bodies = ['0\r\n\r\n', 'hello', '5\r\nhello\r\n0\r\n\r\n', ''];
  const [headers, requestBody] = draw(fc.boolean)
    ? [drawHeaderCase(draw, drawOne(draw, ambiguousHeaders)), drawOne(draw, bodies)]
    : ['Transfer-Encoding: chunked\r\n', drawOne(draw, malformedChunks)];
  const at = draw(fc.nat, { max: validHeaders.length });
  return `${method} ${servicePrefix}${path} HTTP/1.1\r\nHost: localhost\r\n${validHeaders.toSpliced(at, 0, headers).join('')}\r\n${requestBody}`;
}

function drawHeaderCase(draw: Draw, headers: string): string {
  return drawOne(draw, [headers, headers.toLowerCase(), headers.replaceAll(/^[\w-]+/gm, (name) => name.toUpperCase())]);
}

/** @throws Error with the request that was not rejected. */
export async function runSmugglingRound(seed: number, runs: number): Promise<void> {
  // Requests that are not rejected wait for more input; the timeout then rejects them with another status.
  await using server = await startServer({ flags: { 'request-timeout': '1' } });
  const before = JSON.stringify(await server.dump());
  const property = fc.asyncProperty(fc.gen(), async (draw) => {
    const request = drawRequest(draw);
    const response = await exchange(server.url, Buffer.from(request + smuggledRequest, 'latin1'));
    const statuses = [...response.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
    const description = `${JSON.stringify(request)} returned ${statuses.join(', ')}`;
    // A valid head before a malformed body may have a separate response.
    assertThat(statuses.at(-1) === '400' && statuses.length <= 2, description);
    assertThat(
      JSON.stringify(await server.dump()) === before,
      `${description}, and the request behind it was processed`,
    );
  });
  await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
}
