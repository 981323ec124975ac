import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

/** A request of HTTP, as far as the shop looks at it. */
export interface ShopRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  user?: { readonly id: string; readonly roles: readonly string[] };
}

/** Recognises staff by their token, as a strategy of Passport would. Customers come without; a wrong token is refused. */
@Injectable()
export class StaffLogin implements CanActivate {
  readonly #token: string | undefined;

  constructor(config: ConfigService) {
    this.#token = config.get<string>('STAFF_TOKEN');
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ShopRequest>();
    const sent = request.headers['authorization'];
    if (sent === undefined) return true;
    if (this.#token === undefined || sent !== `Bearer ${this.#token}`)
      throw new UnauthorizedException('This is no token of staff');
    request.user = { id: 'staff', roles: ['staff'] };
    return true;
  }
}
