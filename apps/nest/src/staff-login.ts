import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

/** The part of an HTTP request that the shop uses. */
export interface ShopRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  user?: { readonly id: string; readonly roles: readonly string[] };
}

/** Recognizes staff by their token, like a Passport strategy. Customers need no token, but a wrong token is refused. */
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
      throw new UnauthorizedException('This is not a staff token');
    request.user = { id: 'staff', roles: ['staff'] };
    return true;
  }
}
