/** Source: https://docs.acuvity.ai */
import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import type { z } from 'zod';
import { readJson } from '../../../lib/json/index.ts';
import { CheckFault } from '../../outbound/index.ts';
import {
  bearer,
  definePartner,
  listAt,
  member,
  needed,
  numberAt,
  once,
  type PartnerCredential,
  replaceTexts,
  textAt,
} from './engine/index.ts';

type Parameters = z.output<typeof partners.acuvityScan.parameters>;

/** The application token is a JWT whose payload names the address of the service. */
function hostOf(credential: PartnerCredential): string {
  const payload = needed(credential, 'apiKey').split('.')[1] ?? '';
  try {
    const url = textAt(readJson(Buffer.from(payload, 'base64url')), 'opaque', 'apex-url');
    if (url !== undefined) return /^https?:\/\//.test(url) ? url : `https://${url}`;
  } catch {
    // The same error as for a token that names no address.
  }
  throw new CheckFault('CredentialError', 'The field apiKey of the credential names no address of the service');
}

/** Guards with a score, and where an extraction has it. */
const SCORED = [
  ['prompt_injection', 'exploits', 'prompt_injection'],
  ['jail_break', 'exploits', 'jailbreak'],
  ['malicious_url', 'exploits', 'malicious_url'],
  ['toxic', 'malcontents', 'toxic'],
  ['biased', 'malcontents', 'biased'],
  ['harmful', 'malcontents', 'harmful'],
] as const;

const LANGUAGE_SCORE = 0.5;

export const acuvityScan = definePartner(partners.acuvityScan, {
  onError: true,
  empty: true,
  host: hostOf,
  auth: bearer(),
  path: '/_acuvity/scan',
  bodies: once(({ subject, parameters, texts }) => ({
    anonymization: 'FixedSize',
    messages: texts.map(({ text }) => text),
    redactions: [
      ...(parameters.pii && parameters.pii_redact ? parameters.pii_categories : []),
      ...(parameters.secrets && parameters.secrets_redact ? parameters.secrets_categories : []),
    ],
    type: subject.phase === 'input' ? 'Input' : 'Output',
  })),
  read: ([reply], { parameters, subject, texts }) => {
    const extractions = listAt(reply, 'extractions');
    if (extractions.length === 0) throw new CheckFault('ParseError', 'The answer of the service has no extractions');
    const hits = guardsThatHit(parameters, extractions);
    const data = { guards: JSON.stringify(hits.map((guard) => ({ guard, matched: true }))) };
    if (hits.length === 0) return { verdict: true, data };
    const redacts = { pii: parameters.pii_redact, secrets: parameters.secrets_redact };
    const isRedacted = (guard: string): boolean => (guard === 'pii' || guard === 'secrets') && redacts[guard];
    if (!hits.every(isRedacted)) return { verdict: false, data };
    const redacted = texts.map((_, i) => textAt(extractions, i, 'data'));
    return { verdict: true, data, transformed: replaceTexts(subject, texts, redacted) };
  },
});

function guardsThatHit(parameters: Parameters, extractions: readonly unknown[]): readonly string[] {
  const hasScore = (limit: number, ...names: readonly string[]): boolean =>
    extractions.some((extraction) => (numberAt(extraction, ...names) ?? Number.NEGATIVE_INFINITY) >= limit);
  const scored = SCORED.filter(
    ([guard, ...names]) => parameters[guard] && hasScore(parameters[`${guard}_threshold`], ...names),
  ).map(([guard]) => guard);
  const speaks =
    parameters.language && parameters.language_values.some((name) => hasScore(LANGUAGE_SCORE, 'languages', name));
  const hasPii = parameters.pii && finds(extractions, parameters.pii_categories, { place: 'piIs', type: 'PII' });
  const hasSecret =
    parameters.secrets && finds(extractions, parameters.secrets_categories, { place: 'secrets', type: 'Secret' });
  return [...scored, ...(speaks ? ['language'] : []), ...(hasPii ? ['pii'] : []), ...(hasSecret ? ['secrets'] : [])];
}

/** Whether one of the categories, or any without categories, is among the findings. */
function finds(
  extractions: readonly unknown[],
  categories: readonly string[],
  { place, type }: { readonly place: string; readonly type: string },
): boolean {
  const isWanted = (name: string): boolean => categories.length === 0 || categories.includes(name);
  return extractions.some((extraction) => {
    const scores = member(extraction, place);
    const names = isObject(scores) ? Object.keys(scores) : [];
    const detected = listAt(extraction, 'detections').filter((found) => textAt(found, 'type') === type);
    return [...names, ...detected.map((found) => textAt(found, 'name') ?? '')].some(isWanted);
  });
}
