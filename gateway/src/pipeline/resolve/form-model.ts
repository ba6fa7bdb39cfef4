/** The model of a form, which may arrive behind its files; docs/behaviour/requests.md#bodies. */
import { AppError } from '../../errors/index.ts';
import { type Caller, type Exchange, modelOfPath, type RequestBody } from '../exchange.ts';
import { takesForms } from '../operations/operation.ts';
import { isModelDecisive, slugOfModel } from './provider.ts';

/** Reads a form until its model where that decides. */
export function findFormModel(body: RequestBody, exchange: Exchange, caller: Caller): Promise<void> | undefined {
  if (body.kind !== 'form') return undefined;
  const isTyped = takesForms(exchange.operation);
  const isDecisive = isModelDecisive(exchange, caller);
  return isTyped || isDecisive ? body.fields?.find?.(isTyped && isDecisive) : undefined;
}

/** What decides where a form goes. */
export interface FormRoute {
  readonly exchange: Exchange;
  /** A header names the account. */
  readonly isNamed: boolean;
}

/**
 * Nothing of a form goes to an account that its model may still replace: throws MODEL_REQUIRED. Other forms go on, and are refused with the
 * same if their model names an account later.
 */
export function refuseLateModel(body: RequestBody, { exchange, isNamed }: FormRoute): void {
  const { request, operation } = exchange;
  const fields = body.kind === 'form' ? body.fields : undefined;
  if (fields === undefined || fields.model !== '' || fields.isWhole === true || modelOfPath(request) !== undefined)
    return;
  const mayChoose = !isNamed && request.header('x-gw-config') === undefined;
  if (mayChoose && takesForms(operation)) {
    throw new AppError('MODEL_REQUIRED', {
      param: 'model',
      detail:
        'The form names no model within the bytes that are held for it (GATEHOUSE_FORM_MODEL_BYTES), and the model may name the account: send the field model before the file, or name the account in x-gw-provider',
    });
  }
  fields.refuseLater?.((model) => slugOfModel(model) !== undefined);
}
