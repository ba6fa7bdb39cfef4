import { createIssuerKeys, createTokenCheck } from '../../../gateway/src/identity/index.ts';
import { viewOf } from '../../../gateway/src/pipeline/testing.ts';
import { issuer, workspace } from '../../kit/snapshot.ts';
import { createTokenIssuer, ISSUED, ISSUER } from '../../kit/token-issuer.ts';
import type { Bench } from '../bench.ts';
import { median } from '../rounds.ts';
import type { Row } from '../table.ts';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const TOKENS = 2_000;
/** At the same time, as connections would ask. */
const AT_ONCE = 64;

/** Tokens that are verified for the first time, in this process: what a gateway does once per token. */
export async function tokens(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const alg of ALGORITHMS) {
    const rates: number[] = [];
    for (let round = 0; round < bench.rounds; round += 1) rates.push(await verifyMany(alg));
    rows.push({ what: `token verified, ${alg}`, peer: 'Gatehouse', requestsPerSecond: median(rates) });
    bench.say(`${alg}: ${Math.round(median(rates))} tokens per second`);
  }
  return rows;
}

/** Tokens per second. */
async function verifyMany(alg: string): Promise<number> {
  const signer = await createTokenIssuer({ alg });
  const view = await viewOf(workspace(), issuer(ISSUER, { jwks: [signer.jwk], algorithms: [alg] }));
  const all = await Promise.all(Array.from({ length: TOKENS }, (_, i) => signer.sign({ jti: String(i) })));
  const keys = createIssuerKeys({
    fetchKeys: async () => [],
    onFetch: () => undefined,
    nowMs: () => 0,
    random: () => 0.5,
    after: () => () => undefined,
  });
  const check = createTokenCheck({ keys, now: () => ISSUED * 1000 });
  const startedMs = performance.now();
  for (let i = 0; i < TOKENS; i += AT_ONCE) {
    await Promise.all(all.slice(i, i + AT_ONCE).map((token) => check.identify(token, 'authorization', view)));
  }
  return (TOKENS * 1_000) / (performance.now() - startedMs);
}
