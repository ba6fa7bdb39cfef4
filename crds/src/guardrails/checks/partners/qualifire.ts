import { z } from 'zod';
import { atomicList } from '../../../schema/index.ts';
import { type CheckPhase, defineCheckEntry } from '../../check.ts';
import { API_KEY, BOTH, baseUrl, called, INPUT, OUTPUT } from './fields.ts';

const credential = { fields: [API_KEY, baseUrl('https://proxy.qualifire.ai')] };
const TIMEOUT_MS = 60_000;
const MAX_POLICIES = 64;
const MAX_POLICY = 4_096;

const mode = () =>
  z
    .enum(['speed', 'balanced', 'quality'])
    .default('balanced')
    .meta({ description: 'mode weighs the time of the check against its quality.' });

const plain = (name: string, summary: string, phases: readonly CheckPhase[]) =>
  defineCheckEntry({
    id: `qualifire.${name}`,
    summary,
    phases,
    callsOut: true,
    credential,
    parameters: z.strictObject(called(TIMEOUT_MS)),
  });

const graded = (name: string, summary: string) =>
  defineCheckEntry({
    id: `qualifire.${name}`,
    summary,
    phases: OUTPUT,
    callsOut: true,
    credential,
    parameters: z.strictObject({ mode: mode(), ...called(TIMEOUT_MS) }),
  });

export const qualifireContentModeration = plain(
  'contentModeration',
  'Passes when Qualifire finds no harmful content.',
  BOTH,
);
export const qualifirePii = plain('pii', 'Passes when Qualifire finds no personal data.', BOTH);
export const qualifirePromptInjections = plain(
  'promptInjections',
  'Passes when Qualifire detects no prompt injection.',
  INPUT,
);
export const qualifireGrounding = graded('grounding', 'Passes when Qualifire judges the answer to be grounded.');
export const qualifireHallucinations = graded(
  'hallucinations',
  'Passes when Qualifire finds no hallucination in the answer.',
);
export const qualifireToolUseQuality = graded(
  'toolUseQuality',
  'Passes when Qualifire judges the tool calls of the answer to be right.',
);

export const qualifirePolicy = defineCheckEntry({
  id: 'qualifire.policy',
  summary: 'Passes when Qualifire finds that the policies are followed.',
  phases: BOTH,
  callsOut: true,
  credential,
  parameters: z.strictObject({
    policies: atomicList(
      z.string().min(1).max(MAX_POLICY),
      'policies are rules in sentences, e.g. "no discounts are promised".',
      MAX_POLICIES,
    ).min(1),
    mode: mode(),
    policy_target: z
      .enum(['input', 'output', 'both'])
      .default('both')
      .meta({ description: 'policy_target is what the policies are about.' }),
    ...called(TIMEOUT_MS),
  }),
});
