/** Source: https://docs.calypsoai.com/api-docs */
import { partners } from '@gatehouse/crds/guardrails';
import { bearer, definePartner, eachText, malformed, needObject, replaceTexts, textAt } from './engine/index.ts';

const OUTCOMES: ReadonlySet<string> = new Set(['cleared', 'flagged', 'redacted', 'blocked']);

export const f5Scan = definePartner(partners.f5Scan, {
  onError: true,
  empty: true,
  host: 'https://us1.calypsoai.app',
  hostFields: ['calypsoUrl'],
  auth: bearer(),
  path: '/backend/v1/scans',
  bodies: eachText((text, { parameters }) => ({ input: text, project: parameters.projectId })),
  read: (replies, { parameters, subject, texts }) => {
    const data = replies.map((reply) => needObject(reply, 'result', 'result'));
    const outcomes = data.map((result) => textAt(result, 'outcome') ?? '');
    if (!outcomes.every((outcome) => OUTCOMES.has(outcome))) throw malformed('outcome');
    if (outcomes.some((outcome) => outcome === 'blocked' || outcome === 'flagged')) return { verdict: false, data };
    if (!parameters.redact || !outcomes.includes('redacted')) return { verdict: true, data };
    const redacted = outcomes.map((outcome, i) =>
      outcome === 'redacted' ? (textAt(replies[i], 'redactedInput') ?? textAt(data[i], 'redactedInput')) : undefined,
    );
    return { verdict: true, data, transformed: replaceTexts(subject, texts, redacted) };
  },
});
