/** The four integrations with external systems, each with an embedded default and an adapter for a real system. */

import type { Settings } from './config/settings.ts';
import { createProviders, type Providers } from './federation/identity-providers.ts';
import { createEmbeddedMainframe, type Mainframe } from './legacy/mainframe.ts';
import { createHttpMainframe } from './legacy/mainframe-http.ts';
import { createEmbeddedProductSystem, type ProductSystem } from './legacy/product-system.ts';
import { createHttpProductSystem } from './legacy/product-system-http.ts';
import type { AdjustableClock } from './lib/adjustable-clock.ts';
import type { Ids } from './lib/ids.ts';
import type { Log } from './lib/log.ts';
import type { OutgoingFetch } from './lib/outgoing-fetch.ts';
import type { Random } from './lib/random.ts';
import type { Timer } from './lib/timer.ts';
import { createOutbox, type MessageOutbox } from './messaging/outbox.ts';
import type { Store } from './store/store.ts';
import type { StoreSecret } from './store/store-secret.ts';
import type { Passwords } from './users/passwords.ts';

export interface Integrations {
  readonly outbox: MessageOutbox;
  readonly mainframe: Mainframe;
  readonly productSystem: ProductSystem;
  readonly providers: Providers;
}

export interface IntegrationDeps {
  readonly store: Store;
  readonly storeSecret: StoreSecret;
  readonly clock: AdjustableClock;
  readonly random: Random;
  readonly settings: Settings;
  readonly passwords: Passwords;
  readonly ids: Ids;
  readonly timer: Timer;
  readonly log: Log;
  readonly outgoingFetch: OutgoingFetch;
}

export function createIntegrations(deps: IntegrationDeps): Integrations {
  return {
    outbox: createOutbox(deps),
    mainframe: createMainframe(deps),
    productSystem: createProductSystem(deps),
    providers: createProviders(deps),
  };
}

/** The embedded mainframe, unless the settings contain the URL of a real one. */
export function createMainframe(deps: Pick<IntegrationDeps, 'settings' | 'store' | 'passwords' | 'log'>): Mainframe {
  const { mainframeUrl } = deps.settings;
  return mainframeUrl === undefined ? createEmbeddedMainframe(deps) : createHttpMainframe(mainframeUrl, deps);
}

/** The embedded product system, unless the settings contain the URL of a real one. */
export function createProductSystem(deps: Pick<IntegrationDeps, 'settings' | 'store' | 'log'>): ProductSystem {
  const { productsUrl } = deps.settings;
  return productsUrl === undefined ? createEmbeddedProductSystem(deps) : createHttpProductSystem(productsUrl, deps);
}
