/** Source: https://docs.walled.ai */
import { partners } from '@gatehouse/crds/guardrails';
import { definePartner, keyHeader, needBoolean, needObject, once } from './engine/index.ts';

export const walledprotect = definePartner(partners.walledprotect, {
  onError: true,
  empty: true,
  host: 'https://services.walled.ai',
  auth: keyHeader('x-api-key'),
  path: '/v1/walled-protect',
  bodies: once(({ subject, parameters }) => {
    const { generic_safety_check, greetings_list, pii_list, compliance_list } = parameters;
    return { text: subject.text, generic_safety_check, greetings_list, pii_list, compliance_list };
  }),
  read: ([reply]) => ({
    verdict: needBoolean(reply, 'safety', 'data', 'safety', 0, 'isSafe'),
    data: needObject(reply, 'data', 'data'),
  }),
});
