/** Calls of checks to services: docs/behaviour/guardrails.md. */
export { type CallContext, callService, type ServiceAnswer, type ServiceCall } from './call-service.ts';
export { CheckFault, type CheckFaultName, faultOf } from './fault.ts';
