/** Opaque tokens for products: 256 random bits, kept as a hash, bound to who asked, the client and the product. */
import { fault } from '../../contract/errors.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { ProductReference, ProductSystem } from '../ports/product-system.ts';
import { newSecret, type Randomness } from '../randomness.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Product } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import type { Principal } from './principal.ts';
import { hashSecret } from './secrets.ts';
import { requireStillCalling } from './still-calling.ts';

const rememberedSeconds = 600;
const plainSeconds = 3600;

/**
 * The product that a call is about.
 * @throws IamError PRODUCT_NOT_FOUND; BILLING_TYPE_UNSUPPORTED where the product system implements no such billing type,
 *   BILLING_TYPE_NOT_SOLD where this product is sold with others; PRODUCT_SYSTEM_UNAVAILABLE.
 */
export async function requireProduct(
  products: ProductSystem,
  reference: ProductReference,
  billingType: string | undefined,
): Promise<Product> {
  const answer = await products.find(reference, billingType);
  if (answer.kind === 'unknown') throw fault('PRODUCT_NOT_FOUND');
  if (answer.kind === 'unsupported') throw fault('BILLING_TYPE_UNSUPPORTED');
  const { product } = answer;
  if (billingType !== undefined && !product.billingTypes.includes(billingType)) throw fault('BILLING_TYPE_NOT_SOLD');
  return product;
}

interface Tools {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly caller: Principal;
}

export interface OpaqueTokenWish {
  readonly product: Product;
  readonly billingType?: string | undefined;
  /** Gives a short one. */
  readonly remember?: boolean;
}

/** A new token for the caller, with its seconds as digits. @throws IamError TOKEN_INVALID where the caller is no longer one. */
export function giveOpaqueToken(
  { product, billingType, remember = false }: OpaqueTokenWish,
  tools: Tools,
): Promise<{ readonly opaqueToken: string; readonly expiresIn: string }> {
  const { store, clock, caller } = tools;
  const lifetime = remember ? rememberedSeconds : plainSeconds;
  return store.transaction(async (tx) => {
    await requireStillCalling(tx, caller, clock);
    const opaqueToken = await keepToken(
      tx,
      {
        ...(caller.user === undefined ? {} : { userId: caller.user.userId }),
        clientId: caller.client.clientId,
        productId: product.productId,
        ...(billingType === undefined ? {} : { billingType }),
        expiresAt: epochSeconds(clock) + lifetime,
      },
      tools,
    );
    return { opaqueToken, expiresIn: String(lifetime) };
  });
}

type TokenRow = Parameters<Transaction['opaqueTokens']['insert']>[0];

async function keepToken(
  tx: Transaction,
  row: Omit<TokenRow, 'tokenHash'>,
  { clock, randomness }: Tools,
): Promise<string> {
  const token = newSecret(randomness);
  const tokenHash = hashSecret(token);
  await clearExpired(tx.opaqueTokens, (other) => other.tokenHash, epochSeconds(clock), tokenHash);
  await tx.opaqueTokens.insert({ ...row, tokenHash });
  return token;
}
