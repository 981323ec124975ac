import { annotate } from '../metadata/annotations.js';
import { addHeader } from '../metadata/store.js';

/**
 * Has clients repeat an argument in the HTTP header `Mcp-Param-<name>`, for gateways that route by it without reading bodies.
 * Requests whose header and body disagree are refused. For a property of a DTO, or beside `@Arg`; strings, integers and
 * booleans only.
 *
 * @param name the part of the header after `Mcp-Param-`; unique within the tool.
 * Specification 2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters".
 */
export function Header(name: string): PropertyDecorator & ParameterDecorator {
  return (target: object, member: string | symbol | undefined, index?: number) => {
    if (member === undefined)
      throw new TypeError(`@Header belongs on properties and parameters of methods: ${name}`);
    if (typeof index === 'number') addHeader(target, member, index, name);
    else annotate(target, member, { header: name });
  };
}
