/** For tests of this folder. */
import { ISSUED } from '@gatehouse/test/kit';
import type { SnapshotView } from '../snapshot/index.ts';
import { createIssuerKeys, createTokenCheck, type TokenIdentity } from './index.ts';

/** A check with a clock that the test moves. */
export function createCheck() {
  const clock = { nowMs: ISSUED * 1000 };
  const keys = createIssuerKeys({
    fetchKeys: async () => [],
    onFetch: () => {},
    nowMs: () => 0,
    random: () => 0.5,
    after: () => () => {},
  });
  const tokens = createTokenCheck({ keys, now: () => clock.nowMs });
  const identify = async (text: string, view: SnapshotView): Promise<TokenIdentity | undefined> =>
    tokens.identify(text, 'authorization', view);
  return { clock, tokens, identify };
}
