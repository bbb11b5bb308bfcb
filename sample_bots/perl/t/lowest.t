#!/usr/bin/perl
# Replays the recorded conversations of the protocol, and checks the policy.
use strict;
use warnings;
use FindBin    qw($Bin);
use File::Temp ();
use JSON::PP   ();
use Test::More;

my $program = "$Bin/../lowest.pl";
require $program;

my $json = JSON::PP->new->utf8->canonical;

sub read_lines {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!";
    my @lines = map { $json->decode($_) } <$file>;
    close $file or die "$path: $!";
    return @lines;
}

# The messages of one side, those of a batch one by one.
sub said {
    my ( $who, @lines ) = @_;
    my @messages = map { $_->{message} } grep { ( $_->{from} // q{} ) eq $who } @lines;
    return map { $_->{type} eq 'batch' ? @{ $_->{messages} } : $_ } @messages;
}

my %games;
for my $path ( glob "$Bin/../../../protocol/vectors/*.jsonl" ) {
    my ( $head, @lines ) = read_lines($path);
    my @told = said( 'referee', @lines ) or next;
    my %recorded =
      map { $_->{id} => $_->{action} } grep { $_->{type} eq 'act' } said( 'bot', @lines );
    my @wrong;
    for my $message (@told) {
        my $answer = Lowest::answer($message);
        my ( $type, $id ) = @{$message}{qw(type id)};
        if ( $type eq 'ask' ) {
            $games{ $message->{view}{game} } = 1;
            my $free = $message->{view}{phase} eq 'play' || exists $head->{answers}{$id};
            my @may  = $free ? @{ $message->{legal} } : $recorded{$id};
            my %good =
              map { $json->encode( { type => 'act', id => $id, action => $_ } ) => 1 } @may;
            next if $answer && $good{ $json->encode($answer) };
        }
        elsif ( $type eq 'ping' ) {
            next if $answer && $json->encode($answer) eq qq({"id":$id,"type":"pong"});
        }
        elsif ( !$answer ) {
            next;
        }
        push @wrong, { message => $message, answer => $answer };
    }
    is_deeply( \@wrong, [], "answers $path" );
}
is_deeply(
    [ sort keys %games ],
    [qw(bondtolva huutopussi marjapussi minnesota tuppi)],
    'every game'
);

# What is played: the trick and the legal actions as text, then what differs in view and rules.
sub choice {
    my ( $trick, $legal, $view, $rules ) = @_;
    my @plays = map { [ 0, $_ ] } split q{ }, $trick;
    my %seen  = ( game => 'minnesota', phase => 'play', trump => undef, trick => \@plays );
    return Lowest::decide( { %seen, %{ $view // {} } }, [ split q{ }, $legal ], $rules // {} );
}

my %sooli = ( game => 'tuppi', contract => 'sooli' );
is( choice( q{}, 'pass bid:50',     { phase => 'bid' } ), 'pass', 'no card to play' );
is( choice( q{}, 'give:KS give:6H', { phase => 'give' } ),
    'give:KS', 'no card to play but to give' );
is( choice( q{}, 'KS 7H declare:S' ),                         '7H', 'leads low, declares nothing' );
is( choice( 'TS', '2S JS AS' ),                               'JS', 'wins cheaply' );
is( choice( 'AS', 'QS 9S' ),                                  '9S', 'cannot win' );
is( choice( 'AS 5H KS', '4H 8H 9H', { trump => 'H' } ),       '8H', 'overtrumps' );
is( choice( 'KS', 'JS TS', { game => 'marjapussi' } ),        'TS', 'the ten beats the king' );
is( choice( 'TS', '7S KS', {}, { rank_order => 'ace_ten' } ), '7S', 'by its rules' );
is( choice( 'TS', '7S KS', {}, { rank_order => 'plain' } ),   'KS', 'a plain ten' );
is( choice( q{}, '2S AS', \%sooli, { sooli_ace => 'low' } ),  'AS', 'the low ace' );
is( choice( 'KS', '4S AS', \%sooli, { sooli_ace => 'high' } ), 'AS', 'the high ace' );

# What the program prints to some lines.
sub printed {
    my (@lines) = @_;
    my ( $input, $errors ) = ( File::Temp->new, File::Temp->new );
    print {$input} map { "$_\n" } @lines;
    close $input or die $!;
    my $output = qx{"$^X" "$program" <"$input" 2>"$errors"};
    return $output, join q{}, <$errors>;
}

{
    local @ENV{qw(REFEREE_ENDPOINT REFEREE_TOKEN)} = qw(stdio 5eed);
    my ( $output, $errors ) = printed( 'nonsense', 3, '{"type":"ask"}', '{"type":"ping","id":4}' );
    my ( $hello, $pong ) = map { $json->decode($_) } split /\n/, $output;
    is( $hello->{token}, '5eed', 'says hello' );
    is_deeply( $pong, { type => 'pong', id => 4 }, 'plays on after odd messages' );
    like( $errors, qr/odd message nonsense/, 'tells of them' );
    ($output) = printed( '{"type":"bye"}', '{"type":"ping","id":4}' );
    unlike( $output, qr/pong/, 'leaves on bye' );
    delete local $ENV{REFEREE_TOKEN};
    ( $output, $errors ) = printed();
    like( $errors, qr/REFEREE_TOKEN is not set/, 'says what is missing' );
}

done_testing();
