/** Adapter for a real product system over HTTP; docs/decisions/0005-integrations.md specifies the protocol. */
import * as z from 'zod';
import type { Settings } from '../config/settings.ts';
import {
  createHttpClient,
  type HttpResponse,
  IntegrationUnavailableError,
  toUnavailableError,
} from '../lib/http-client.ts';
import type { Log } from '../lib/log.ts';
import type { ProductLookup, ProductReference, ProductSystem } from './product-system.ts';

const Product = z.object({
  productId: z.string(),
  productAlias: z.string(),
  sku: z.string(),
  billingTypes: z.array(z.string()),
});

interface Deps {
  readonly settings: Pick<Settings, 'portTimeout'>;
  readonly log: Log;
}

export function createHttpProductSystem(baseUrl: string, { settings, log }: Deps): ProductSystem {
  const http = createHttpClient({ baseUrl, timeoutMs: settings.portTimeout });
  return {
    async find(reference, billingType) {
      // URL normalization would remove `.` and `..` from the path.
      if ('productId' in reference && /^\.{1,2}$/.test(reference.productId)) return { kind: 'unknown' };
      try {
        return readProduct(await http.request({ method: 'GET', path: formatPath(reference, billingType) }));
      } catch (error) {
        throw toUnavailableError(error, 'PRODUCT_SYSTEM_UNAVAILABLE', log);
      }
    },
  };
}

function formatPath(reference: ProductReference, billingType: string | undefined): string {
  const { productId, ...named } = { productId: undefined, ...reference };
  const path = productId === undefined ? '/products' : `/products/${encodeURIComponent(productId)}`;
  const query = new URLSearchParams({ ...named, ...(billingType === undefined ? {} : { billingType }) }).toString();
  return query === '' ? path : `${path}?${query}`;
}

function readProduct({ status, json }: HttpResponse): ProductLookup {
  if (status === 404) return { kind: 'unknown' };
  if (status === 501) return { kind: 'unsupported' };
  if (status !== 200) throw new IntegrationUnavailableError(`the response has status ${status}`);
  const product = Product.safeParse(json);
  if (!product.success) throw new IntegrationUnavailableError('the response is not a product');
  return { kind: 'found', product: product.data };
}
