/** The API document shows the lifetimes of the server; tests of the operations show that it returns them. */
import { expect, test } from 'vitest';
import { otpLifetimeSeconds } from '../../src/contract/otp-lifetime.ts';
import { settingsTable } from '../../src/server/config/settings.ts';
import { oneTimeTokenLifetimes } from '../../src/server/tokens/one-time-tokens.ts';
import { serviceDocument } from '../conformance/openapi-documents.ts';

test('the examples of the API document show the lifetimes of the server', () => {
  const schemas = Object.entries(serviceDocument.document.components.schemas ?? {});
  const shown = schemas.flatMap(([name, schema]) =>
    (schema as { readonly examples: readonly { readonly expiresIn?: string }[] }).examples
      .filter(({ expiresIn }) => expiresIn !== undefined)
      .map(({ expiresIn }) => [name, Number(expiresIn)]),
  );
  expect(Object.fromEntries(shown)).toEqual({
    Identification: otpLifetimeSeconds,
    MfaChallenge: otpLifetimeSeconds,
    LogonAssociation: otpLifetimeSeconds,
    LogonRecovery: otpLifetimeSeconds,
    Param: oneTimeTokenLifetimes.param,
    CertificateToken: oneTimeTokenLifetimes['certificate-nonce'],
    OpaqueToken: 3600,
    Token: settingsTable.userTokenLifetime.default,
  });
});
