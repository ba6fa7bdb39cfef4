/** Source: https://pangea.cloud/docs/api/ai-guard and https://pangea.cloud/docs/api/redact */
import { partners } from '@gatehouse/crds/guardrails';
import { CheckFault } from '../../outbound/index.ts';
import { bearer, definePartner, listAt, member, needObject, numberAt, once, onDomain, textAt } from './engine/index.ts';

const DETECTORS = [
  'prompt_injection',
  'pii_entity',
  'malicious_entity',
  'custom_entity',
  'secrets_detection',
  'profanity_and_toxicity',
];

const shared = { onError: true, empty: true, auth: bearer() } as const;

function succeeded(reply: unknown): void {
  if (textAt(reply, 'status') !== 'Success') throw new CheckFault('ServiceError', 'The service did not succeed');
}

export const pangeaTextGuard = definePartner(partners.pangeaTextGuard, {
  ...shared,
  host: (credential) => onDomain(credential, 'domain', 'ai-guard.'),
  path: '/v1/text/guard',
  bodies: once(({ subject, parameters: { recipe, debug, overrides } }) => ({
    text: subject.text,
    recipe,
    debug,
    overrides,
  })),
  read: ([reply]) => {
    succeeded(reply);
    const data = needObject(reply, 'result', 'result');
    const isDetected = (name: string): boolean => member(data, 'detectors', name, 'detected') === true;
    return { verdict: !DETECTORS.some(isDetected), data };
  },
});

export const pangeaPii = definePartner(partners.pangeaPii, {
  ...shared,
  host: (credential) => onDomain(credential, 'domain', 'redact.'),
  path: '/v1/redact_structured',
  bodies: once(({ subject }) => ({ data: subject.parts })),
  read: ([reply], { parameters, subject }) => {
    succeeded(reply);
    const data = { summary: textAt(reply, 'summary') ?? null };
    const redacted = listAt(reply, 'result', 'redacted_data');
    if ((numberAt(reply, 'result', 'count') ?? 0) === 0 || redacted.length === 0) return { verdict: true, data };
    if (!parameters.redact) return { verdict: false, data };
    const parts = subject.parts.map((_, i) => textAt(redacted, i));
    return { verdict: true, data, transformed: { kind: 'parts', parts } };
  },
});
