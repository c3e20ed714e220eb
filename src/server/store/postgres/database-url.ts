/** The address of the database: one URL or several, separated by commas. */
import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { isLoopbackHost, splitDatabaseUrls } from '../../config/validators.ts';

/** Parses the addresses. @throws Error with a message without the address, which may contain a password */
export function parseDatabaseUrls(text: string): readonly ClientConfig[] {
  return splitDatabaseUrls(text).map(parseDatabaseUrl);
}

function parseDatabaseUrl(text: string): ClientConfig {
  const config = parse(text);
  // Without a host, the driver would use PGHOST, which is not checked here.
  const { host: given = '', database = '' } = config;
  const host = given === '' ? 'localhost' : given;
  if (database === '') throw new Error('must name a database, as postgres://HOST/DATABASE');
  const isLocal = host.startsWith('/') || isLoopbackHost(host);
  const modes = new URL(text).searchParams.getAll('sslmode');
  if (!isLocal && (modes.length === 0 || modes.some((mode) => mode !== 'verify-full')))
    throw new Error(
      `must contain sslmode=verify-full for ${host}: without TLS others could read and change everything`,
    );
  return { ...config, host };
}

function parse(text: string): ClientConfig {
  try {
    return parseIntoClientConfig(text);
  } catch (cause) {
    throw new Error('must be a URL such as postgres://user@host:5432/database, and name readable files', { cause });
  }
}
