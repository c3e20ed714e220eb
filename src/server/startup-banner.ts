/** The startup banner: one JSON line for programs, or text. Generated secrets are printed only here. */
import { controlPrefix, servicePrefix } from '../contract/prefix.ts';
import type { BootstrapResult } from './bootstrap.ts';
import type { Settings } from './config/settings.ts';
import type { RunningServer } from './listen.ts';

/** Formats the ready line, in JSON. */
export function formatReadyLine(
  { url, listenUrl, bootstrapResult: bootstrapped, warnings }: RunningServer,
  settings: Settings,
  pid: number,
): string {
  const { store, data } = settings;
  const location = store === 'file' ? { store, data } : { store };
  const listening = listenUrl === url ? {} : { listenUrl };
  const warningFields = warnings.length > 0 ? { warnings } : {};
  return `${JSON.stringify({ ready: true, url, ...listening, prefix: servicePrefix, pid, ...location, ...bootstrapped, ...warningFields })}\n`;
}

interface BannerContext {
  /** Where the credentials were saved. */
  readonly profile: string | undefined;
  /** The folder that PATH lacks so that the shell finds `iam`. */
  readonly missingPathFolder: string | undefined;
  /** Whether it is the store of the profile that the first start saved. */
  readonly isDefaultStore: boolean;
}

/** Formats the banner: URL, new credentials and next commands. */
export function formatBanner(
  service: RunningServer,
  settings: Settings,
  { profile, missingPathFolder, isDefaultStore }: BannerContext,
): string {
  const { url, bootstrapResult: bootstrapped } = service;
  const lines = [
    `Ready: ${url}${servicePrefix}`,
    `Store: ${describeStore(settings)}`,
    ...(settings.disableControlPlane ? [] : listPages(url)),
    ...formatDeviations(settings),
    '',
    ...formatCredentials(bootstrapped, profile),
  ];
  const next =
    profile !== undefined || (bootstrapped.adminClientSecret === undefined && isDefaultStore)
      ? ['  iam groups list']
      : bootstrapped.adminClientSecret === undefined
        ? formatProfileLines(service)
        : [...formatExportLines(service), '  iam groups list'];
  const path = missingPathFolder === undefined ? [] : [`  export PATH=${formatSearchPath(missingPathFolder)}`];
  return `${[...lines, 'Next, in another terminal:', ...path, ...next, '', 'Press Ctrl-C to stop.'].join('\n')}\n`;
}

/** Without the address of the database, which may contain a password. */
function describeStore({ store, data, databaseSchema }: Settings): string {
  if (store === 'memory') return 'in memory, deleted when the server stops';
  return store === 'postgres' ? `PostgreSQL, schema ${databaseSchema}` : data;
}

function listPages(url: string): string[] {
  return [`Console: ${url}${controlPrefix}/console/`, `Read and try the API: ${url}${controlPrefix}/docs`];
}

/** A PATH that starts with a folder, in double quotes for a POSIX shell. */
function formatSearchPath(folder: string): string {
  return `"${folder.replace(/[\\"$`]/g, '\\$&')}:$PATH"`;
}

/** Lists the settings that make responses differ from the interface. */
function formatDeviations(settings: Settings): string[] {
  const deviations = [
    settings.softErrors ? 'soft-errors' : '',
    settings.expiresIn === 'epoch' ? 'expires-in=epoch' : '',
  ].filter(Boolean);
  return deviations.length > 0 ? [`Differs from the interface: ${deviations.join(', ')}`] : [];
}

/** The secrets that were generated; no line if there are none. */
export function formatCredentials(bootstrapped: BootstrapResult, profile?: string): string[] {
  const { adminClientId, adminClientSecret, appClientId, adminUser, adminPassword } = bootstrapped;
  if (adminClientSecret === undefined && adminPassword === undefined) return [];
  return [
    'New credentials, shown only once:',
    ...(adminClientSecret === undefined
      ? []
      : [`  administrator client   ${adminClientId}`, `    its secret           ${adminClientSecret}`]),
    ...(adminPassword === undefined
      ? []
      : [`  administrator user     ${adminUser}`, `    password             ${adminPassword}`]),
    `  application client     ${appClientId} (no secret)`,
    ...(profile === undefined ? [] : [`The iam command already uses the administrator client: ${profile}`]),
    '',
  ];
}

function formatExportLines({ url, bootstrapResult: bootstrapped }: RunningServer): string[] {
  return [
    `  export IAM_BASE_URL=${url}`,
    `  export IAM_CLIENT_ID=${bootstrapped.adminClientId}`,
    '  export IAM_CLIENT_SECRET=...   # the secret above',
  ];
}

/** For a store whose credentials were created before, such as a restored one: no profile names this server. */
function formatProfileLines({ url, bootstrapResult: { adminClientId } }: RunningServer): string[] {
  return [
    `  iam profile add NAME --base-url ${url} --client-id ${adminClientId}`,
    '    # prompts for the secret of that client; start with --reset-admin for a new one',
    '  iam groups list --profile NAME',
  ];
}
