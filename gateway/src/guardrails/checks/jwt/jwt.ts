import { jwt as entry } from '@gatehouse/crds/guardrails';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { faultOf } from '../../outbound/index.ts';
import { compileClaimHeaders } from './claim-headers.ts';
import { compileClaimRules, type Validations } from './claim-rules.ts';
import { compileIntrospection } from './introspect.ts';
import { compileVerification } from './verify.ts';

const BEARER = /^bearer +/i;

/** What is wrong with a token fails the check; only an issuer that cannot be asked is an error. */
export const jwt = defineCheck(entry, (parameters, credential) => {
  const { introspectEndpoint, extractClaims, claimPrefix } = parameters;
  const headerName = parameters.headerKey.toLowerCase();
  const judge = compileClaimRules(parameters);
  const headersOf = compileClaimHeaders(extractClaims, claimPrefix);
  const source =
    introspectEndpoint === undefined
      ? compileVerification(parameters)
      : compileIntrospection({ ...parameters, introspectEndpoint }, credential);

  return async (subject, tools) => {
    const token = subject.header(headerName)?.trim().replace(BEARER, '') ?? '';
    if (token === '') return failed(`The request has no token in its header ${headerName}`);
    try {
      const checked = await source(token, { subject, tools });
      if (!checked.good) return failed(checked.why);
      const validations = await judge(checked.header, checked.claims, tools.regex);
      const verdict = Object.values(validations).every(({ valid }) => valid);
      const answer = answerOf(verdict, validations);
      if (!verdict || extractClaims.length === 0 || subject.phase !== 'input') return answer;
      return { ...answer, transformed: { kind: 'headers', headers: headersOf(checked.claims) } };
    } catch (error) {
      const { explanation, ...rest } = failed('The token could not be checked').data;
      return { verdict: false, error: faultOf(error), data: { ...rest, explanation } };
    }
  };
});

const failed = (explanation: string) => ({
  verdict: false,
  data: { verdict: false, explanation, validations: { signatureValid: false } },
});

function answerOf(verdict: boolean, validations: Validations): CheckAnswer {
  const explanation = verdict ? 'The token is good' : 'The token has not the claims that are expected';
  return { verdict, data: { verdict, explanation, validations: { signatureValid: true, ...validations } } };
}
