/** The tables of the shop. Money is in cents, so that sums are exact. The case of SKUs is ignored in comparisons. */
export const SCHEMA = `
  CREATE TABLE categories (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL
  ) STRICT;

  CREATE TABLE products (
    sku TEXT PRIMARY KEY COLLATE NOCASE,
    name TEXT NOT NULL,
    category TEXT NOT NULL REFERENCES categories (id),
    priceCents INTEGER NOT NULL CHECK (priceCents >= 0),
    weightGrams INTEGER NOT NULL,
    description TEXT NOT NULL
  ) STRICT;

  CREATE TABLE warehouses (
    code TEXT PRIMARY KEY COLLATE NOCASE,
    city TEXT NOT NULL,
    country TEXT NOT NULL
  ) STRICT;

  CREATE TABLE stock (
    sku TEXT NOT NULL COLLATE NOCASE REFERENCES products (sku),
    warehouse TEXT NOT NULL COLLATE NOCASE REFERENCES warehouses (code),
    quantity INTEGER NOT NULL CHECK (quantity >= 0),
    PRIMARY KEY (sku, warehouse)
  ) STRICT;

  CREATE TABLE reservations (
    id TEXT NOT NULL,
    sku TEXT NOT NULL COLLATE NOCASE,
    warehouse TEXT NOT NULL COLLATE NOCASE,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (id, warehouse),
    FOREIGN KEY (sku, warehouse) REFERENCES stock (sku, warehouse)
  ) STRICT;

  CREATE TABLE orders (
    id TEXT PRIMARY KEY COLLATE NOCASE,
    customer TEXT NOT NULL,
    placedAt TEXT NOT NULL,
    status TEXT NOT NULL
  ) STRICT;

  CREATE TABLE orderItems (
    orderId TEXT NOT NULL COLLATE NOCASE REFERENCES orders (id),
    sku TEXT NOT NULL COLLATE NOCASE REFERENCES products (sku),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unitPriceCents INTEGER NOT NULL,
    PRIMARY KEY (orderId, sku)
  ) STRICT;

  CREATE TABLE returns (
    id TEXT PRIMARY KEY,
    orderId TEXT NOT NULL COLLATE NOCASE,
    sku TEXT NOT NULL COLLATE NOCASE,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    reason TEXT NOT NULL,
    FOREIGN KEY (orderId, sku) REFERENCES orderItems (orderId, sku)
  ) STRICT;
`;
