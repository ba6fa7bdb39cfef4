/** Source: https://docs.akto.io */
import { partners } from '@gatehouse/crds/guardrails';
import type { RequestType } from '../../contract.ts';
import { bearer, definePartner, needBoolean, once, onDomain } from './engine/index.ts';

/** The path that reports show. */
const PATHS: Partial<Readonly<Record<RequestType, string>>> = {
  complete: '/v1/completions',
  embed: '/v1/embeddings',
  messages: '/v1/messages',
  createModelResponse: '/v1/responses',
};

export const aktoScan = definePartner(partners.aktoScan, {
  onError: true,
  empty: true,
  host: (credential) => onDomain(credential, 'apiDomain'),
  auth: bearer(),
  path: '/api/validate/request',
  bodies: once(({ subject, tools }) => ({
    path: PATHS[subject.requestType] ?? '/v1/chat/completions',
    method: 'POST',
    requestPayload: JSON.stringify({ body: subject.text }),
    time: String(tools.now()),
    source: 'MIRRORING',
    contextSource: 'ENDPOINT',
  })),
  read: ([reply]) => ({ verdict: needBoolean(reply, 'Allowed', 'Allowed'), data: reply }),
});
