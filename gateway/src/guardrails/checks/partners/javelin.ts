/** Source: https://docs.getjavelin.io */
import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import { definePartner, keyHeader, malformed, member, needed, once, onDomain, textAt } from './engine/index.ts';

export const javelinGuardrails = definePartner(partners.javelinGuardrails, {
  onError: true,
  empty: true,
  host: (credential) =>
    credential.text('domain') === undefined ? 'https://api-dev.javelin.live' : onDomain(credential, 'domain'),
  auth: keyHeader('x-javelin-apikey'),
  headers: ({ credential }) => ({ 'x-javelin-application': needed(credential, 'application') }),
  path: '/v1/guardrails/apply',
  bodies: once(({ subject }) => ({ input: { text: subject.text }, config: {}, metadata: {} })),
  read: ([reply]) => {
    const assessments = member(reply, 'assessments');
    if (!Array.isArray(assessments)) throw malformed('assessments');
    const flagged = assessments.filter((assessment) => guardsOf(assessment).some(isRejected));
    if (flagged.length === 0) return { verdict: true, data: { assessments, all_passed: true } };
    const rejectPrompt = flagged
      .flatMap(guardsOf)
      .map(promptOf)
      .find((text) => text !== undefined);
    return {
      verdict: false,
      data: { flagged_assessments: flagged, reject_prompt: rejectPrompt ?? null, javelin_response: reply },
    };
  },
});

/** An assessment has its guards under their names. */
const guardsOf = (assessment: unknown): readonly unknown[] =>
  isObject(assessment) ? [assessment, ...Object.values(assessment)] : [];

const isRejected = (guard: unknown): boolean => member(guard, 'request_reject') === true;

const promptOf = (guard: unknown): string | undefined =>
  textAt(guard, 'results', 'reject_prompt') ?? textAt(guard, 'reject_prompt');
