import type { Provider } from '../contract.ts';
import { ACCOUNTS } from './accounts.ts';
import { AGGREGATORS } from './aggregators.ts';
import { HOSTS } from './hosts.ts';
import { PROXY_ONLY } from './proxy-only.ts';
import { RETRIEVAL } from './retrieval.ts';
import { VENDORS } from './vendors.ts';

/** Every provider that a row describes. */
export const TABLE: readonly Provider[] = [
  ...VENDORS,
  ...HOSTS,
  ...AGGREGATORS,
  ...ACCOUNTS,
  ...RETRIEVAL,
  ...PROXY_ONLY,
];
