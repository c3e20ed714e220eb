/** The identity providers of a realm. Only those whose settings say how their tokens are verified can be converted. */
import type { SeedProvider } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { isPlaceholder, placeholderReason } from '../placeholders.ts';
import { type Fields, isFields, reportUnreadableFlags, toFlag, toText } from './fields.ts';
import type { Realm } from './realm.ts';

export function convertProviders({ identityProviders }: Realm, seed: ConvertedSeed): void {
  for (const provider of identityProviders) {
    const name = toText(provider.alias) ?? '';
    reportUnreadableFlags(provider, ['enabled', 'linkOnly'], name, seed.report);
    const reason = findReason(provider);
    if (reason !== undefined) seed.report.leaveOut('identity providers', name, reason);
    else convertProvider(provider, name, seed);
  }
}

/** Reports the providers of links whose settings no file has. */
export function reportUnknownProviders({ identityProviders }: Realm, { users, report }: ConvertedSeed): void {
  const known = new Set(identityProviders.map(({ alias }) => toText(alias)));
  const linked = new Set(users.flatMap(({ identities = [] }) => identities.map((link) => link.split(':')[0] ?? '')));
  for (const alias of linked)
    if (!known.has(alias))
      report.lose('identity providers', alias, 'is not in the file: add it to the seed for users with links to it');
}

/** Why no login uses a provider. */
function findReason(provider: Fields): string | undefined {
  if (!toFlag(provider.enabled, true)) return 'is disabled';
  return toFlag(provider.linkOnly, false) ? 'only links accounts: no login uses it' : undefined;
}

function convertProvider(provider: Fields, name: string, seed: ConvertedSeed): void {
  const config = isFields(provider.config) ? provider.config : {};
  const kind = toText(provider.providerId) ?? '';
  const converted = kind === 'saml' ? convertSaml(config, name) : convertOidc(config, name, kind, seed);
  const problem = typeof converted === 'string' ? converted : findPlaceholders(converted);
  if (problem !== undefined) seed.report.lose('identity providers', name, problem);
  else if (typeof converted !== 'string') seed.providers.push(converted);
}

function findPlaceholders({ kind: _kind, name: _name, ...settings }: SeedProvider): string | undefined {
  const found = Object.entries(settings).filter(([, value]) => [value].flat().some(isPlaceholderText));
  return found.length === 0 ? undefined : `${found.map(([setting]) => setting).join(', ')} ${placeholderReason}`;
}

const isPlaceholderText = (value: unknown) => typeof value === 'string' && isPlaceholder(value);

/** @returns why it cannot be converted, if it is a text */
function convertOidc(config: Fields, name: string, kind: string, { report }: ConvertedSeed): SeedProvider | string {
  // Keycloak trusts each issuer of a list with commas.
  const issuers = [config.issuer].flat().flatMap((value) => (toText(value) ?? '').split(',').map((one) => one.trim()));
  const [issuer, ...others] = issuers.filter(Boolean);
  const [clientId, jwksUri] = [config.clientId, config.jwksUrl].map(toText);
  if (issuer === undefined || clientId === undefined || jwksUri === undefined)
    return `is of the kind ${kind}; a provider needs issuer, clientId and jwksUrl, or is SAML`;
  if (!toFlag(config.useJwksUrl, true)) return 'has a key of its own: a provider needs the jwksUrl of its issuer';
  for (const other of others)
    report.lose('identity providers', `${name} of ${other}`, `a provider has one issuer, which is ${issuer}`);
  return { kind: 'oidc', name, issuer, clientId, jwksUri };
}

function convertSaml(config: Fields, name: string): SeedProvider | string {
  const [entityId, certificates, audience] = [config.idpEntityId, config.signingCertificate, config.entityId].map(
    toText,
  );
  if (entityId === undefined || certificates === undefined || audience === undefined)
    return 'needs idpEntityId, signingCertificate and entityId, the audience of its assertions';
  return { kind: 'saml', name, entityId, certificates: certificates.split(/[\s,]+/).filter(Boolean), audience };
}
