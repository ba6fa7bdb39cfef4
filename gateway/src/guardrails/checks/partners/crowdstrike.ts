/** Source: https://falcon.crowdstrike.com (AI Detection and Response, guard_chat_completions) */
import { partners } from '@gatehouse/crds/guardrails';
import type { CheckSubject } from '../../contract.ts';
import { CheckFault } from '../../outbound/index.ts';
import {
  bearer,
  definePartner,
  malformed,
  member,
  needed,
  needObject,
  objectAt,
  once,
  textAt,
} from './engine/index.ts';

export const crowdstrikeGuard = definePartner(partners.crowdstrikeGuard, {
  onError: true,
  empty: 'asked',
  host: (credential) => needed(credential, 'baseUrl'),
  auth: bearer(),
  path: '/v1/guard_chat_completions',
  bodies: once(({ subject }) => ({
    guard_input: subject.phase === 'input' ? subject.request : (subject.response ?? {}),
    event_type: subject.phase,
    app_id: 'gw AI Gateway',
    ...callerOf(subject),
  })),
  read: ([reply], { parameters }) => {
    if (textAt(reply, 'status') !== 'Success') throw new CheckFault('ServiceError', 'The service did not succeed');
    const result = needObject(reply, 'result', 'result');
    const policy = textAt(result, 'policy');
    const explained = (what: string) => ({ explanation: policy === undefined ? what : `${what} by policy ${policy}` });
    if (member(result, 'blocked') === true) return { verdict: false, data: explained('Blocked') };
    if (member(result, 'transformed') !== true) return { verdict: true, data: explained('Allowed') };
    if (!parameters.redact) return { verdict: false, data: explained('Would be changed') };
    const body = objectAt(result, 'guard_output');
    if (body === undefined) throw malformed('guard_output');
    return { verdict: true, data: explained('Changed'), transformed: { kind: 'body', body } };
  },
});

/** Who asks which model, as far as it is known. */
function callerOf({ metadata, provider, request }: CheckSubject): object {
  const user = metadata['_user'] ?? metadata['user_id'];
  const name = metadata['user_name'];
  return {
    ...(typeof user === 'string' && { user_id: user }),
    llm_provider: provider,
    ...(typeof request['model'] === 'string' && { model: request['model'] }),
    ...(typeof name === 'string' && { extra_info: { user_name: name } }),
  };
}
