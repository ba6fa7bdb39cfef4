/** Source: https://help.zscaler.com/ai-guard */

import { isObject } from '@gatehouse/crds';
import { partners } from '@gatehouse/crds/guardrails';
import { scalarText } from '../../../lib/scalar-text.ts';
import { bearer, definePartner, malformed, member, needObject, once, textAt } from './engine/index.ts';

export const zscalerGuardrails = definePartner(partners.zscalerGuardrails, {
  onError: false,
  empty: true,
  withoutCredential: true,
  host: 'https://api.zseclipse.net',
  auth: bearer('zscalerApiKey'),
  path: '/v1/detection/execute-policy',
  bodies: once(({ subject, parameters }) => ({
    policyId: parameters.policyId,
    direction: subject.phase === 'input' ? 'IN' : 'OUT',
    content: subject.text,
  })),
  read: ([reply]) => {
    const { action, detectorResponses = null } = needObject(reply, 'form');
    if (typeof action !== 'string') throw malformed('action');
    const blocking = detectorsOf(detectorResponses)
      .filter(([, detector]) => textAt(detector, 'action') === 'BLOCK')
      .map(([name]) => name);
    const isBlocked = action === 'BLOCK' || blocking.length > 0;
    const by = blocking.length > 0 ? `the detectors ${blocking.join(', ')}` : 'the policy';
    const data = { zscalerAction: action, detectorResponses, ...(isBlocked && { blockReason: `Blocked by ${by}` }) };
    return { verdict: !isBlocked, data };
  },
});

/** Detectors by their names, or a list of them. */
function detectorsOf(responses: unknown): readonly (readonly [name: string, detector: unknown])[] {
  if (Array.isArray(responses)) {
    return responses.map((one, i) => [scalarText(member(one, 'name') ?? member(one, 'detector')) || String(i), one]);
  }
  return isObject(responses) ? Object.entries(responses) : [];
}
