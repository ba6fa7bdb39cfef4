/** Source: https://docs.pillar.security */
import { partners } from '@gatehouse/crds/guardrails';
import type { CheckAnswer } from '../../contract.ts';
import { CheckFault, faultOf } from '../../outbound/index.ts';
import { bearer, definePartner, needObject, once } from './engine/index.ts';

const KEYS = ['prompt_injection', 'pii', 'secrets', 'toxic_language', 'invisible_characters'] as const;

interface Scan {
  readonly subject: { readonly text: string };
  readonly parameters: { readonly scanners: readonly string[] };
}

const shared = {
  onError: false,
  empty: 'asked',
  host: 'https://api.pillarseclabs.com',
  auth: bearer(),
  decide: ({ parameters: { scanners } }: Scan): CheckAnswer | undefined => {
    if (scanners.length > 0) return undefined;
    return { verdict: true, error: faultOf(new CheckFault('InvalidInput', 'The parameter scanners names none')) };
  },
  bodies: once(({ subject, parameters }: Scan) => ({
    message: subject.text,
    scanners: Object.fromEntries(parameters.scanners.map((name) => [name, true])),
  })),
  read: ([reply]: readonly unknown[]): CheckAnswer => {
    const data = needObject(reply, 'findings');
    const isFound = (name: string): boolean => (data[name] ?? false) !== false;
    return { verdict: Object.keys(data).length > 0 && !KEYS.some(isFound), data };
  },
} as const;

export const pillarScanPrompt = definePartner(partners.pillarScanPrompt, { ...shared, path: '/api/v1/scan/prompt' });

export const pillarScanResponse = definePartner(partners.pillarScanResponse, {
  ...shared,
  path: '/api/v1/scan/response',
});
