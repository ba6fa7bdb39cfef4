import { isObject } from '@gatehouse/crds';
import { webhook as entry } from '@gatehouse/crds/guardrails';
import { type CheckAnswer, type CheckSubject, defineCheck, type Transformed } from '../../contract.ts';
import { CheckFault, callService, faultOf } from '../../outbound/index.ts';
import { contextOf } from './context.ts';
import { compileService, shownUrl } from './service.ts';

export const webhook = defineCheck(entry, ({ webhookURL, headers, timeout, forwardHeaders }) => {
  const call = { url: webhookURL, ...compileService(headers), timeoutMs: timeout, forwardHeaders };
  const webhookUrl = shownUrl(webhookURL);
  const dataOf = (verdict: boolean, explanation: string, responseData: unknown) => ({
    verdict,
    explanation,
    webhookUrl,
    responseData: responseData ?? null,
    requestContext: { timeout },
  });

  return async (subject, tools): Promise<CheckAnswer> => {
    const body = contextOf(subject);
    try {
      const { json } = await callService({ ...call, body }, { subject, tools });
      if (!isObject(json)) throw new CheckFault('ParseError', 'The webhook gave an answer that is no object');
      const verdict = json['verdict'] === true;
      const transformed = transformedBy(json['transformedData'], subject);
      const explanation = `The webhook ${verdict ? 'passed' : 'failed'} the ${NAMES[subject.phase]}`;
      return {
        verdict,
        data: dataOf(verdict, explanation, json['data']),
        ...(transformed === undefined ? {} : { transformed }),
      };
    } catch (error) {
      const answer = error instanceof CheckFault ? error.body : undefined;
      return { verdict: false, error: faultOf(error), data: dataOf(false, 'The webhook gave no verdict', answer) };
    }
  };
});

const NAMES = { input: 'request', output: 'answer' } as const;

/** The body that the webhook sends back for the phase. */
function transformedBy(data: unknown, { phase }: Pick<CheckSubject, 'phase'>): Transformed | undefined {
  const part = isObject(data) ? data[phase === 'input' ? 'request' : 'response'] : undefined;
  const body = isObject(part) ? part['json'] : undefined;
  return isObject(body) ? { kind: 'body', body } : undefined;
}
