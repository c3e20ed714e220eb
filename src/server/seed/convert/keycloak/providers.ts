/** The identity providers of a realm. Only those whose settings say how their tokens are verified can be converted. */
import type { SeedProvider } from '../../schema.ts';
import type { ConvertedSeed } from '../converted-seed.ts';
import { type Fields, isFields, toFlag, toText } from './fields.ts';
import type { Realm } from './realm.ts';

export function convertProviders({ identityProviders }: Realm, seed: ConvertedSeed): void {
  for (const provider of identityProviders) {
    const name = toText(provider.alias) ?? '';
    if (!toFlag(provider.enabled, true)) {
      seed.report.leaveOut('identity providers', name, 'is disabled');
      continue;
    }
    const converted = convertProvider(provider, name);
    if (typeof converted === 'string') seed.report.lose('identity providers', name, converted);
    else seed.providers.push(converted);
  }
}

/** @returns why it cannot be converted, if it is a text */
function convertProvider(provider: Fields, name: string): SeedProvider | string {
  const config = isFields(provider.config) ? provider.config : {};
  const kind = toText(provider.providerId) ?? '';
  if (kind === 'saml') return convertSaml(config, name);
  const [issuer, clientId, jwksUri] = [config.issuer, config.clientId, config.jwksUrl].map(toText);
  if (issuer === undefined || clientId === undefined || jwksUri === undefined)
    return `is of the kind ${kind}; a provider needs issuer, clientId and jwksUrl, or is SAML`;
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
