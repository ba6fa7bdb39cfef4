/** Whether tokens of the issuers that the Organisation names could be checked. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import { type GatewaySettings, type Issuer, type IssuerProbe, probeIssuers } from '@gatehouse/gateway';
import { type Check, failed, okay, unknown } from './check.ts';

export interface IssuerChecks {
  readonly snapshot: Snapshot;
  readonly settings: GatewaySettings;
  /** Nobody is asked. */
  readonly isOffline: boolean;
}

const SUBJECT = 'issuer';

/** Fetches the keys of each issuer by the rules for hosts that requests follow. Nothing where there is no issuer. */
export async function checkIssuers({ snapshot, settings, isOffline }: IssuerChecks): Promise<readonly Check[]> {
  const issuers = snapshot.entries.flatMap((entry) => (entry.kind === 'issuer' ? [entry.body] : []));
  const asked = issuers.filter(({ jwksUri }) => !isOffline || jwksUri === undefined);
  const probes = await probeIssuers(settings, asked);
  const checks = asked.map((issuer, i): Check => {
    const probe = probes[i];
    if (probe === undefined) return unknown(SUBJECT, `${issuer.issuer} was not asked`);
    return probe.ok ? checkOf(issuer, probe.value) : failed(SUBJECT, `${placeOf(issuer)}: ${probe.error}`);
  });
  const silent = issuers.length - asked.length;
  return silent === 0 ? checks : [...checks, unknown(SUBJECT, `${silent} with a jwksUri not asked: --offline`)];
}

function checkOf(issuer: Issuer, { keys, algorithms }: IssuerProbe): Check {
  const { audiences, algorithms: accepted } = issuer;
  const place = placeOf(issuer);
  if (algorithms.length === 0) {
    return failed(
      SUBJECT,
      `${place}: none of its ${keys} keys is for ${accepted.join(' or ')}, which spec.jwtIssuers accepts`,
    );
  }
  if (audiences.length === 0) return failed(SUBJECT, `${place}: it names no audience, so that all tokens are refused`);
  return okay(
    SUBJECT,
    `${place}: ${keys} keys, usable with ${algorithms.join(', ')}; audience ${audiences.join(' or ')}`,
  );
}

const placeOf = ({ issuer, jwksUri }: Issuer): string =>
  jwksUri === undefined ? `${issuer} (keys in jwks)` : `${issuer} (${jwksUri})`;
