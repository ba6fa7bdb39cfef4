/**
 * Texts and what is personal in them, made up for this set. `~` is taken out: it keeps keys from looking like keys to scanners of
 * repositories.
 */
export const PERSONAL: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS: `
    Please write to jane.doe@example.com today
    Contact: JOHN+invoices@sub.example.co.uk.
    Meine Adresse ist müller@beispiel.de, danke
    mailto:anna_k@example.org?subject=hi
    <peter@example.net> wrote:
    écrivez à jean-luc@exemple.fr
    escríbeme a maria.lopez99@ejemplo.es!
    邮箱是zhang@example.com。谢谢
    メールはtanaka@example.jpです
    пишите на ivan@example.ru
    "email":"x.y@example.io"
    a@b.co
    support%team@example.com
    reach me: j@mail.example.museum
    user@xn--bcher-kva.example
    "very unusual"@example.com
    jane (at) example (dot) com`,
  PHONE_NUMBER: `
    Call +49 30 901820
    my number is (415) 555-0123
    415-555-0123 after six
    +1 212 736 5000
    +44 20 7946 0958 is the office
    Tel. 030/901820
    Telefon: 089 1234567
    appelez le 01 42 68 53 00
    mon portable: 06 12 34 56 78
    móvil 612 34 56 78
    llámame al 912345678
    telefono 06 6982 1234
    celular 11 91234-5678
    手机13800138000
    電話は03-1234-5678
    전화 02-312-3456
    тел. +7 495 123-45-67
    phone 4155550123
    WhatsApp: +91 98765 43210
    0044 20 7946 0958
    1-800-555-0199
    +31 6 12345678
    mobiel 06-12345678
    +34912345678
    numer telefonu 22 123 45 67
    fax: 212.736.5000
    ring 07700 900123
    you can get me at 4155550123`,
  CREDIT_CARD: `
    card 4111 1111 1111 1111
    4111111111111111
    pay with 5500-0000-0000-0004
    amex 3782 822463 10005
    371449635398431 exp 12/29
    6011 1111 1111 1117
    3530111333300000
    mein Konto 5105105105105100, bitte
    número 4012 8888 8888 1881 cvv 123
    卡号4111111111111111
    2223003122003222
    30569309025904
    4111.1111.1111.1111
    ４１１１ １１１１ １１１１ １１１１
    4222222222222
    6304000000000000
    41 11 11 11 11 11 11 11`,
  IBAN: `
    DE89 3704 0044 0532 0130 00
    IBAN: GB29NWBK60161331926819
    FR1420041010050500013M02606
    bitte auf NL91ABNA0417164300 zahlen
    ES91 2100 0418 4502 0005 1332
    IT60X0542811101000000123456
    ch93 0076 2011 6238 5295 7
    BE68 5390 0754 7034
    konto PL61109010140000071219812874
    AT611904300234573201
    NO9386011117947
    SA0380000000608010167519
    DE89-3704-0044-0532-0130-00`,
  SSN: `
    ssn 536-90-4399
    536-90-4399
    my social security number is 536904399
    SSN: 536 90 4399
    Social Security: 219-09-9998
    taxpayer id 912-70-1234
    536904399 (ssn)
    seguro social 536-90-4399`,
  NATIONAL_ID: `
    DNI 12345678Z
    mi NIE es X1234567L
    codice fiscale RSSMRA80A01H501U
    numéro de sécu 2 55 08 14 168 025 38
    Steuer-ID 36574261809
    rijksregisternummer 85.07.30-033.28
    CPF 390.533.447-05
    meu cpf é 39053344705
    身份证11010519491231002X
    CURP BOXW310820HNERXN09
    henkilötunnus 131052-308T
    PESEL 44051401359
    T.C. kimlik no 10000000146
    BSN 111222333
    fødselsnummer 15108695088
    personnummer 880320-0016
    AHV 756.9217.0769.85
    OIB 33392005961
    RUT 12.531.909-2
    CNP 1630615123457
    NRIC S1234567D
    HKID A123456(3)
    South African ID 7503305044089
    NINO AB 12 34 56 C
    Aadhaar 2341 2341 2346
    PAN ABCPE1234F
    isikukood 36805280109
    PPS 6433435F
    rodné číslo 710319/2745
    CPR 211062-5629
    ЕГН 7523169263
    social insurance number 130 692 544
    TFN 123 456 782
    СНИЛС 112-233-445 95
    CUIL 20-05536168-2
    SVNR 1237 010180
    NHS number 943 476 5919
    NIF 123456789
    身分證 A123456789
    44051401359
    111222333`,
  IP_ADDRESS: `
    from 192.168.1.10
    10.1.2.3:8080 refused
    client 2001:db8::1 connected
    ssh root@203.0.113.7
    http://198.51.100.23/login
    [2001:db8:85a3::8a2e:370:7334]:443
    fe80::1ff:fe23:4567:890a
    die Adresse 203.0.113.99 ist gesperrt
    blocked 203.0.113.0/24
    ::ffff:203.0.113.5
    IP：203.0.113.8`,
  SECRET: `
    AKIA~IOSFODNN7EXAMPLE
    aws_access_key_id=ASIA~IOSFODNN7EXAMPLE
    token ghp_~abcdefghijklmnopqrstuvwxyz0123456789
    github_pat_~11ABCDEFG0abcdefghijklmnopqrstuvwxyz0123456789ABCDEF
    glpat-~abcdefghij0123456789
    xoxb-~123456789012-1234567890123-abcdefghijklmnopqrstuvwx
    sk_live_~abcdefghijklmnopqrstuvwx
    rk_test_~abcdefghijklmnopqrstuvwx
    AIza~SyA1234567890abcdefghijklmnopqrstuv
    OPENAI_API_KEY=sk-proj-~abcdefghijklmnopqrstuvwxyz0123456789
    sk-ant-~api03-abcdefghijklmnopqrstuvwxyz0123456789
    sk-~abcdefghijklmnopqrstuvwx0123456789
    Authorization: Bearer eyJ~hbGciOiJIUzI1NiJ9.eyJ~zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U
    -----BEGIN ~RSA PRIVATE KEY----- MIIEowIBAAKCAQEA0123456789 -----END RSA PRIVATE KEY-----
    postgres://admin:hunter2@db.example/app
    key gwk_~0123456789abcdefghijklmnop
    hf_~abcdefghijklmnopqrstuvwxyzABCDEFGH
    npm_~abcdefghijklmnopqrstuvwxyz0123456789
    whsec_~abcdefghijklmnopqrstuvwxyz012345
    the password is hunter2
    api key: 0123456789abcdef0123456789abcdef`,
};

/** Nothing in them is personal, though much looks as if. */
export const IMPERSONAL = `
  The weather in Ghent is fine.
  Order 1234567890123 has shipped
  order number 4111111111111112
  ISBN 978-3-16-148410-0
  ISBN 0-306-40615-2
  version 1.2.3.4 of the library
  v10.0.19045.3570
  upgrade to release 4.18.2.1
  listening on 127.0.0.1:8787
  netmask 255.255.255.0
  2024-01-02T12:30:45Z
  on 01/02/2024 at 12:30
  from 01.02.2024 to 03.04.2025
  timestamp 1700000000000
  1700000000
  std::vector<int> a; ns::b::c();
  a::before { content: '' }
  MAC 00:1a:2b:3c:4d:5e
  commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b
  uuid 123e4567-e89b-12d3-a456-426614174000
  npm i lodash@4.17.21
  logo@2x.png
  git@github.com:team/app.git
  @handle mentioned you
  image@sha256:9f86d081884c7d65
  user@localhost
  pi is 3.14159265358979323846
  0.4111111111111111
  1,234,567,890 people
  the total is 12 345 678,90 EUR
  EUR 1.234.567,89
  SKU 123-456-789
  part no. 536904399
  invoice 2024-000123-45
  tracking 1Z999AA10123456784
  EAN 4006381333931
  flight LH1234 on 12-12-2024
  10-20-30-40
  chapter 1.2.3.4
  room 415, building 555, floor 0123
  score 21:15, 17:21
  ratio 16:9
  lat 52.5200, long 13.4050
  coordinates 52.520008, 13.404954
  license plate B-AB 1234
  GB29NWBK60161331926818
  DE89370400440532013001
  DE1234
  12345678A
  000-12-3456
  666-12-3456
  serial 000-00-0000
  sk-learn and scikit-learn are one thing
  the sk-translate-to-english-please button
  AKIA is a prefix
  ghp_short
  xoxb tokens begin so
  eyJ is how they begin
  -----BEGIN CERTIFICATE----- MIIB -----END CERTIFICATE-----
  -----BEGIN PUBLIC KEY-----
  https://example.com:8080/path
  https://user@example.com/
  http://[::1]:3000/
  call me maybe
  the phone has 12 GB and 5000 mAh
  cell B12 holds 4711
  since 2019 nothing happened in 2020
  call function 12 with 3 4 5
  BSN is a Dutch number
  Telefonnummer unbekannt
  das Modell 5500 kostet 4.999 Euro
  Bestellnummer 123456789
  commande n° 2024 0815 4711
  pedido 8800 1234 5678 0001
  注文番号 1234-5678-9012
  订单号 202401021234567890
  заказ 12345678
  batch 20240102-0001
  error 0x80070005
  port 65535, pid 12345678
  RFC 7519, section 4.1.1
  1.1.1.1.1 is a heading
  9.8.7 and 9.8.7-rc.1
  IPv6 is 128 bits
  :: is the unspecified address
  12:30:45.123456
  x = a[1:2:3]
  0000 0000 0000 0000
  1111111111
  9999999999999999
  phone: unknown
  tel. n/a
  ext. 4711
  gate 12, seat 34-56
  100-200 mg twice a day
  3-4 days, 10-12 weeks
  the years 1914-1918 and 1939-1945
  A4 210 x 297 mm
  12V 5A 60W
  {"id": 12345678901, "n": 2}
  row 10000000001 of 20000000002
  a+b=c, d-e=f
  1e10 and 1.5e-7
  ~~~ [EMAIL_ADDRESS_1] is a placeholder
  SSN is three letters
  the number 987654321 is large`;

export interface LabelledText {
  readonly text: string;
  readonly category: string | undefined;
}

const linesOf = (texts: string): string[] =>
  texts
    .split('\n')
    .map((line) => line.trim().replaceAll('~', ''))
    .filter((line) => line !== '');

export const PERSONAL_DATA: readonly LabelledText[] = [
  ...Object.entries(PERSONAL).flatMap(([category, texts]) => linesOf(texts).map((text) => ({ text, category }))),
  ...linesOf(IMPERSONAL).map((text) => ({ text, category: undefined })),
];
