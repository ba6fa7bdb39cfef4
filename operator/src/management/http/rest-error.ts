import { formatPath, type Issue } from '@gatehouse/crds';
import { REST_ERRORS, type RestErrorName, type RestErrorText, restErrorBody } from '@gatehouse/crds/rest';

/** An answer that is no success. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly error: RestErrorName;
  readonly details: RestErrorText;

  constructor(error: RestErrorName, details: RestErrorText) {
    super(details.message);
    this.error = error;
    this.details = details;
  }

  get status(): number {
    return REST_ERRORS[this.error].status;
  }
}

/** Problems of a body or a query, the first one in front. */
export function invalid(issues: readonly Issue[], where?: string): RestError {
  const found = issues.map(({ path, message }) => ({ param: formatPath(path), message }));
  const [first = { param: '', message: 'is not valid' }] = found;
  const more = found.length > 1 ? `; and ${found.length - 1} more` : '';
  const field = [where, first.param].filter((part) => part !== undefined && part !== '').join(' ');
  const message = field === '' ? `${first.message}${more}` : `${field}: ${first.message}${more}`;
  return new RestError('INVALID', { message, param: first.param === '' ? undefined : first.param, issues: found });
}

/** `param`: the member of the body that refers to what is not there. */
export const referenceAbsent = (param: string, message: string): RestError =>
  new RestError('REFERENCE_ABSENT', { message, param });

const LOG_OFF =
  'No request log is kept. --logs (GATEHOUSE_LOGS=on) or DATABASE_URL switches it on in a standalone process; on a cluster, records of the chart do, ' +
  'or GATEHOUSE_LOGS_DATABASE_URL or GATEHOUSE_LOGS_CLICKHOUSE_URL of the management API';

export const logOff = (): RestError => new RestError('LOG_OFF', { message: LOG_OFF });

/** The body of an error. */
export const errorBody = ({ error, details }: RestError): object => restErrorBody(error, details);
